// Are the columns of every row sorted?
#pragma once

#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.hpp"
#include "matrix/csr.hpp"
#include "matrix/cuda/device_buffer.hpp"

#include <algorithm>

namespace sptune::cuda {

/// Whether a column may be there more than once in a row.
enum class Repeats { allowed, forbidden };

namespace {  // each source has its own: docs/add-a-format.md

/// Adds `sign` to the counter for each k = position(i), i in [0, size), whose column is less than
/// the one before it, or the same where that is forbidden.
template <Repeats repeats, class Position>
__global__ void count_descents(const index_t* col_idx, std::int64_t size, Position position,
                               int sign, unsigned long long* counter) {
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    int found = 0;
    for (std::int64_t i = global_thread(); i < size; i += stride) {
        const std::int64_t k = position(i);
        if (k == 0) continue;
        const index_t column = col_idx[k], before = col_idx[k - 1];
        if (column < before || (repeats == Repeats::forbidden && column == before)) ++found;
    }
    found = __reduce_add_sync(kFullMask, found);
    if (threadIdx.x % kWarp == 0 && found)
        atomicAdd(counter, static_cast<unsigned long long>(std::int64_t{sign} * found));
}

/// Every entry.
struct EachEntry {
    __device__ std::int64_t operator()(std::int64_t k) const { return k; }
};
/// The first entry of a row; 0, which counts for nothing, where there is none.
template <class P>
struct FirstOfRow {
    const P* row_ptr;
    __device__ std::int64_t operator()(std::int64_t i) const {
        const P k = row_ptr[i];
        return k < row_ptr[i + 1] ? static_cast<std::int64_t>(k) : 0;
    }
};

/// Columns are sorted when they fall nowhere but where a row begins. Comparing the two numbers
/// takes no search for the row of an entry and no thread that walks a long row.
template <Repeats repeats, class T, class P>
bool columns_sorted(CsrView<T, P> a) {
    if (a.nnz() == 0) return true;
    DeviceBuffer<unsigned long long> counter(1);
    counter.fill_bytes(0);
    constexpr int kThreads = 256, kBlocksEach = 8;
    const auto blocks = [](std::int64_t work) {
        return std::min(blocks_for(work, kThreads),
                        static_cast<unsigned>(multiprocessors() * kBlocksEach));
    };
    count_descents<repeats>
        <<<blocks(a.nnz()), kThreads>>>(a.col_idx, a.nnz(), EachEntry{}, 1, counter.data());
    SPTUNE_CUDA_LAUNCHED("count_descents");
    count_descents<repeats><<<blocks(a.rows), kThreads>>>(
        a.col_idx, a.rows, FirstOfRow<P>{a.row_ptr}, -1, counter.data());
    SPTUNE_CUDA_LAUNCHED("count_descents");
    return counter.at(0) == 0;
}

}  // namespace
}  // namespace sptune::cuda
