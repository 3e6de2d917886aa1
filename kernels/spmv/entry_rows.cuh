// Walking the entries of a CSR matrix evenly, whatever the lengths of the rows: coalesced, and no
// thread has more than its share.
#pragma once

#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.hpp"
#include "matrix/csr.hpp"
#include "matrix/partition_point.hpp"

namespace sptune::cuda {

/// Threads and entries of a block.
inline constexpr int kEntryThreads = 256;
inline constexpr int kEntriesEach = 8192;

/// The row in [low, high] that holds entry k.
template <class P>
__device__ __forceinline__ index_t row_of_entry(const P* row_ptr, index_t low, index_t high,
                                                std::int64_t k) {
    return partition_point(low + 1, high + 1, [&](index_t r) { return row_ptr[r] <= k; }) - 1;
}

/// Calls visit(row, k, valid) for each entry k of this block, as often in every thread; `valid` is
/// false past the last entry. All threads of the block take part.
template <class P, class Visit>
__device__ __forceinline__ void for_entries_of_block(const P* row_ptr, index_t rows,
                                                     std::int64_t entries, Visit visit) {
    __shared__ index_t first, last;
    const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * kEntriesEach;
    const std::int64_t end = min(begin + kEntriesEach, entries);
    if (threadIdx.x == 0) first = row_of_entry(row_ptr, 0, rows - 1, begin);
    if (threadIdx.x == kWarp) last = row_of_entry(row_ptr, 0, rows - 1, end - 1);
    __syncthreads();
    index_t row = first;
    for (int step = 0; step < kEntriesEach; step += kEntryThreads) {
        const std::int64_t k = begin + step + static_cast<std::int64_t>(threadIdx.x);
        const bool valid = k < end;
        if (valid) row = row_of_entry(row_ptr, row, last, k);
        visit(row, k, valid);
    }
}

inline unsigned entry_blocks(std::int64_t entries) {
    return blocks_for(entries, kEntriesEach);
}

}  // namespace sptune::cuda
