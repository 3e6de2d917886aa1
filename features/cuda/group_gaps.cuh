// How far the entries of the rows of a group are apart.
#pragma once

#include "features/cuda/group.cuh"

namespace sptune::cuda::groups {

/// Adds the rows of `window`. Takes the second warp of the block where the columns of every row
/// never decrease (the first has enough to do), all threads where they may.
template <class P>
__device__ void visit_gaps(const P* row_ptr, const index_t* col_idx, RowWindow window, bool sorted,
                           Sums* sums) {
    const int lane = threadIdx.x % kWarp, warp = static_cast<int>(threadIdx.x) / kWarp;
    double gaps = 0, rows = 0;
    const auto add = [&](std::int64_t size, index_t low, index_t high) {
        gaps += static_cast<double>(high - low) / static_cast<double>(size - 1);
        ++rows;
    };
    if (sorted) {
        const std::int64_t row = window.first + lane;
        if (warp != 1 || row >= window.last) return;
        const P begin = row_ptr[row], end = row_ptr[row + 1];
        if (end - begin >= 2) add(end - begin, col_idx[begin], col_idx[end - 1]);
    } else {
        for (std::int64_t row = window.first + warp; row < window.last; row += threads() / kWarp) {
            const P begin = row_ptr[row], end = row_ptr[row + 1];
            if (end - begin < 2) continue;
            index_t low = col_idx[begin], high = low;
            for (P k = begin + lane; k < end; k += kWarp) {
                low = min(low, col_idx[k]);
                high = max(high, col_idx[k]);
            }
            low = __reduce_min_sync(kFullMask, low);
            high = __reduce_max_sync(kFullMask, high);
            if (lane == 0) add(end - begin, low, high);
        }
    }
    if (rows > 0) {
        atomicAdd(&sums->gaps, gaps);
        atomicAdd(&sums->gap_rows, rows);
    }
}

}  // namespace sptune::cuda::groups
