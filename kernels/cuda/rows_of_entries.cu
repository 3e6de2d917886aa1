#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/rows_of_entries.hpp"
#include "matrix/partition_point.hpp"

namespace sptune::cuda {
namespace {

constexpr int kThreads = 256, kTile = 8 * kThreads;

/// The last row in [low, high] that begins at k or before; row `low` does. Of empty rows that begin
/// at the same place it is the row after them, the one that has the entry.
template <class P>
__device__ index_t row_of(const P* row_ptr, index_t low, index_t high, std::int64_t k) {
    return partition_point(low + 1, high + 1, [&](index_t r) { return row_ptr[r] <= k; }) - 1;
}

/// A block per tile: the rows of its first and last entry bound the search for all others, so that
/// lengths of rows do not matter.
template <class P>
__global__ void __launch_bounds__(kThreads)
    find_rows(const P* row_ptr, index_t rows, std::int64_t nnz, index_t* row) {
    __shared__ index_t bound[2];
    const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * kTile;
    const std::int64_t end = begin + kTile < nnz ? begin + kTile : nnz;
    if (threadIdx.x < 2)
        bound[threadIdx.x] = row_of(row_ptr, 0, rows - 1, threadIdx.x == 0 ? begin : end - 1);
    __syncthreads();
    for (std::int64_t k = begin + threadIdx.x; k < end; k += kThreads)
        row[k] = row_of(row_ptr, bound[0], bound[1], k);
}

template <class P>
void launch(const P* row_ptr, index_t rows, std::int64_t nnz, index_t* row) {
    if (nnz == 0) return;
    find_rows<<<blocks_for(nnz, kTile), kThreads>>>(row_ptr, rows, nnz, row);
    SPTUNE_CUDA_LAUNCHED("find_rows");
}

}  // namespace

void rows_of_entries(const std::int32_t* row_ptr, index_t rows, std::int64_t nnz, index_t* row) {
    launch(row_ptr, rows, nnz, row);
}
void rows_of_entries(const std::int64_t* row_ptr, index_t rows, std::int64_t nnz, index_t* row) {
    launch(row_ptr, rows, nnz, row);
}

}  // namespace sptune::cuda
