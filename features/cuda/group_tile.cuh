// The tile of a draw, as the threads of a block find it together.
#pragma once

#include "features/cuda/group.cuh"
#include "features/tile_sample.hpp"

namespace sptune::cuda::groups {

/// As group_of_entry(), found by a whole warp.
template <class P>
__device__ RowWindow warp_group_of_entry(const P* row_ptr, std::int64_t rows, std::int64_t nnz,
                                         std::int64_t k) {
    const int lane = threadIdx.x % kWarp;
    const std::int64_t last_group = (rows - 1) / kBlockGroup;
    // Bit l: whether entry k is in group `from` + l · step or before.
    const auto reached = [&](std::int64_t from, std::int64_t step) {
        const std::int64_t g = from + lane * step;
        return __ballot_sync(kFullMask, g >= last_group || row_ptr[(g + 1) * kBlockGroup] > k);
    };
    std::int64_t low = 0, high = last_group;
    // Rows are mostly about as long as others, which saves some steps one after the other.
    const auto guess = static_cast<std::int64_t>(static_cast<double>(k) / static_cast<double>(nnz) *
                                                 static_cast<double>(last_group));
    std::int64_t from = max(low, min(guess, last_group) - kWarp / 2), step = 1;
    while (low < high) {
        const unsigned mask = reached(from, step);
        const int first = mask ? __ffs(static_cast<int>(mask)) - 1 : kWarp;
        if (mask) high = min(high, from + first * step);
        if (first > 0) low = from + (first - 1) * step + 1;
        step = (high - low + kWarp - 1) / kWarp;
        from = low + step - 1;
    }
    return {low * kBlockGroup, min((low + 1) * kBlockGroup, rows)};
}

/// What was drawn: a group, one of its columns, and how often; never where another draw stands for
/// this one.
struct Tile {
    RowWindow rows;
    index_t column;
    int draws;
};

template <class T, class P>
__device__ Tile tile_of(CsrView<T, P> a, const TileSample& sample, std::int64_t draw, bool sorted) {
    __shared__ Tile tile;
    __shared__ int others;
    __shared__ std::int64_t end;
    const std::int64_t k = sample.entry(draw);
    if (threadIdx.x < kWarp) {
        const index_t column = a.col_idx[k];
        const RowWindow rows = warp_group_of_entry(a.row_ptr, a.rows, sample.nnz, k);
        if (threadIdx.x == 0) {
            tile = {rows, column, 1};
            others = 0;
            if (!sorted) {
                end = a.row_ptr[rows.last];
                if (draw > 0 && sample.entry(draw - 1) >= a.row_ptr[rows.first]) tile.draws = 0;
            }
        }
    }
    __syncthreads();
    if (sorted || tile.draws == 0) return tile;
    for (std::int64_t d = draw + 1 + threadIdx.x; d < sample.count && sample.entry(d) < end;
         d += threads())
        atomicAdd(&others, 1);
    __syncthreads();
    Tile of_all = tile;
    of_all.draws += others;
    return of_all;
}

}  // namespace sptune::cuda::groups
