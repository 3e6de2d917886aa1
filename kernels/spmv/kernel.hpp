// What the tuner needs to know of an SpMV kernel, y = αAx + βy: whether it is legal for a matrix,
// what it would cost, how to convert A and how to run it. Nothing here knows about time.
#pragma once

#include "features/features.hpp"
#include "kernels/variant.hpp"
#include "matrix/csr.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sptune {

/// A converted for one layout. Immutable once made, so that many threads may apply it. A layout
/// that needs no conversion (CSR) keeps a view: the caller's arrays must outlive it.
class Storage {
  public:
    virtual ~Storage() = default;
    /// Bytes of A that one apply reads (values, indices, pointers, permutations).
    virtual std::uint64_t bytes() const = 0;
    /// Stored entries, padding included.
    virtual std::uint64_t stored() const = 0;
};

/// Limits a conversion has to respect.
struct Limits {
    double storage_factor = 4.0;          ///< of the bytes of CSR; more is illegal
    std::uint64_t storage_bytes = ~0ull;  ///< hard cap, e.g. a share of the free memory
};

/// What a layout would need, found without converting.
struct Footprint {
    std::uint64_t storage_bytes = 0;  ///< upper bound of the memory the converted A holds
    std::uint64_t moved_bytes = 0;    ///< lower bound of what one apply reads of A
    std::string illegal;              ///< why the layout cannot be used; empty when it can
};

/// One row of the registry, for value type T and row pointer type P.
template <class T, class P>
struct SpmvKernel {
    Variant variant;

    /// Cheap: O(rows) or one pass over the structure at the worst, shared through `features`.
    Footprint (*inspect)(CsrView<T, P> a, const Features& features, const Params& params) = nullptr;

    /// Converts with `threads` threads. Throws OutOfMemory.
    std::unique_ptr<Storage> (*convert)(CsrView<T, P> a, const Params& params,
                                        int threads) = nullptr;

    /// y = αAx + βy. x has cols entries, y rows; they must not overlap. β = 0 never reads y, so
    /// that NaN in it does not survive. Allocates nothing, throws nothing.
    /// `storage` was made by `convert` with the same params and the same number of threads.
    void (*apply)(const Storage& storage, T alpha, const T* x, T beta, T* y, int threads) = nullptr;
};

}  // namespace sptune
