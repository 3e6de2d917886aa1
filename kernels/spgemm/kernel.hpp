// What the tuner needs to know of an SpGEMM kernel, C = A·B: whether it is legal for a pair, what
// memory it would take, how to prepare its own form of A and B and how to run it.
#pragma once

#include "kernels/variant.hpp"
#include "matrix/csr.hpp"
#include "matrix/error.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace sptune {

/// nnz(C) passes what its row pointer can count.
class SizeOverflow : public Error {
  public:
    using Error::Error;
};

/// Throws SizeOverflow, with the remedy, unless `entries` fit P.
template <class P>
void require_countable(std::uint64_t entries) {
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<P>::max());
    if (entries > most)
        throw SizeOverflow("C has " + std::to_string(entries) + " entries, but its row pointer " +
                           "counts at most " + std::to_string(most) +
                           "; use 64-bit row pointers for A and B");
}

/// What the caller wants of C.
struct SpgemmOptions {
    bool sorted = true;       ///< columns of each row of C in increasing order
    bool drop_zeros = false;  ///< leave out entries whose sum is exactly 0; kept by default
    /// Bytes that C and all temporaries may take together; a kernel that would need more works on
    /// the rows of A in chunks, or throws OutOfMemory with the bytes it needs.
    std::uint64_t memory_bytes = ~0ull;
    bool asked_for = false;  ///< this very kernel, even where it is not worth while
};

/// A pair with what is known of its product, all counted once (features/product.hpp).
template <class T, class P>
struct SpgemmProblem {
    CsrView<T, P> a, b;               ///< in the memory of the backend; a.cols == b.rows
    std::uint64_t products = 0;       ///< multiplications: Σ over a_ik of the length of row k of B
    std::uint64_t longest_row = 0;    ///< most products of one row of C
    std::uint64_t upper_entries = 0;  ///< bound of nnz(C): Σ over rows min(products, cols of B)
};

/// C in the memory of the backend that made it: a Csr on the CPU, a DeviceCsr on the GPU.
template <class T, class P>
class Product {
  public:
    virtual ~Product() = default;
    virtual CsrView<T, P> view() const = 0;
};

/// A and B in the form that a kernel works on, where that is not CSR (blocks).
class SpgemmOperands {
  public:
    virtual ~SpgemmOperands() = default;
    virtual std::uint64_t bytes() const = 0;
};

/// What a kernel would need, found without multiplying.
struct SpgemmFootprint {
    std::uint64_t temporary_bytes = 0;  ///< estimate, beside A, B and C
    std::string illegal;                ///< why it cannot be used; empty when it can
    std::string wasteful;               ///< why nobody would use it who was not asked to
    std::uint64_t operand_bytes = 0;    ///< what `prepare` would hold; 0 for CSR as it is
    std::uint64_t prepare_bytes = 0;    ///< what it takes besides while it works
};

/// How one product is run.
struct SpgemmLaunch {
    int threads = 1;         ///< CPU: how many
    void* stream = nullptr;  ///< CUDA: a cudaStream_t; nullptr is the default stream
};

template <class T, class P>
struct SpgemmKernel {
    Variant variant;

    SpgemmFootprint (*inspect)(const SpgemmProblem<T, P>& problem, const Params& params) = nullptr;

    /// nullptr for kernels that work on CSR as it is. Throws OutOfMemory.
    std::unique_ptr<SpgemmOperands> (*prepare)(const SpgemmProblem<T, P>& problem,
                                               const Params& params, int threads) = nullptr;

    /// Allocates and returns C; done when it returns, on the GPU too, since nnz(C) has to be known
    /// on the host. A position of C exists where any product falls on it, whatever the sum is,
    /// unless drop_zeros asks otherwise. Throws OutOfMemory, CudaError, and SizeOverflow where
    /// nnz(C) does not fit P.
    std::unique_ptr<Product<T, P>> (*multiply)(const SpgemmProblem<T, P>& problem,
                                               const SpgemmOperands* operands, const Params& params,
                                               const SpgemmOptions& options,
                                               SpgemmLaunch launch) = nullptr;
};

}  // namespace sptune
