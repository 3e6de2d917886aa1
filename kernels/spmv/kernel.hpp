// What the tuner needs to know of an SpMV kernel, y = αAx + βy: whether it is legal for a matrix,
// what it would cost, how to convert A and how to run it. Nothing here knows about time.
#pragma once

#include "features/features.hpp"
#include "kernels/variant.hpp"
#include "matrix/csr.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sptune {

/// A converted for one layout, in the memory of the backend that applies it. Immutable once made,
/// so that many threads may apply it; a layout with scratch memory of its own says so. A layout
/// that needs no conversion (CSR) keeps a view: the caller's arrays must outlive it.
class Storage {
  public:
    virtual ~Storage() = default;
    /// Bytes of A that one apply reads (values, indices, pointers, permutations).
    virtual std::uint64_t bytes() const = 0;
    /// Bytes of memory that it takes beside the caller's arrays.
    virtual std::uint64_t held_bytes() const { return bytes(); }
    /// Stored entries, padding included.
    virtual std::uint64_t stored() const = 0;
    /// Whether apply uses scratch memory that belongs to the storage: two calls must not overlap.
    virtual bool exclusive() const { return false; }
};

/// Limits a conversion has to respect.
struct Limits {
    double storage_factor = 4.0;          ///< of the bytes of CSR; more is illegal
    std::uint64_t storage_bytes = ~0ull;  ///< hard cap, e.g. a share of the free memory
};

/// What a layout would need, found without converting.
struct Footprint {
    std::uint64_t storage_bytes = 0;  ///< upper bound of the memory the converted A holds
    /// Lower bound of what one apply reads of A. Values that are all the same count, even
    /// where they are left out (spmv/one_value.hpp).
    std::uint64_t moved_bytes = 0;
    std::string illegal;  ///< why the layout cannot be used; empty when it can
    /// Slices of how many rows span too much for 16-bit columns, so that longer ones do as well.
    int too_wide = 0;
};

/// How one call is launched.
struct Launch {
    int threads = 1;         ///< CPU: how many
    void* stream = nullptr;  ///< CUDA: a cudaStream_t; nullptr is the default stream
};

/// What a look at the matrix tells of a layout.
struct LayoutEstimate {
    /// That one apply reads of A. Infinite where the layout is pointless, 0 where some rows would
    /// not tell more than the features do.
    double bytes = 0;
    double gathered = 0;  ///< stored entries whose x is fetched by itself, not with its neighbours
    double sums = 0;      ///< of rows or parts of rows, added to y one by one
};

/// One row of the registry, for value type T and row pointer type P. CPU kernels take host memory,
/// CUDA kernels device memory, for A as well as for x and y.
template <class T, class P>
struct SpmvKernel {
    Variant variant;

    /// Cheap: O(rows) or one pass over the structure at the worst, shared through `features`.
    Footprint (*inspect)(CsrView<T, P> a, const Features& features, const Params& params) = nullptr;

    /// What the features tell less well than a look at some of the rows does (of hub columns: at
    /// the columns of some million entries), for each of `params` of this layout. nullptr where the
    /// features suffice.
    std::vector<LayoutEstimate> (*estimate)(CsrView<T, P> a, const Features& features,
                                            std::span<const Params> params) = nullptr;

    /// Converts with `threads` threads; on the GPU in the default stream, done when it returns.
    /// Throws OutOfMemory.
    std::unique_ptr<Storage> (*convert)(CsrView<T, P> a, const Params& params,
                                        int threads) = nullptr;

    /// y = αAx + βy. x has cols entries, y rows; they must not overlap. β = 0 never reads y, so
    /// that NaN in it does not survive. Allocates nothing; throws nothing but, on the GPU,
    /// CudaError for a launch that failed. On the GPU the call only enqueues.
    /// `storage` was made by `convert` with the same params and the same number of threads.
    void (*apply)(const Storage& storage, T alpha, const T* x, T beta, T* y,
                  Launch launch) = nullptr;
};

}  // namespace sptune
