// What tiles of equal work have of a row that goes on in later ones, which is added afterwards.
#pragma once

#include "kernels/cuda/device.cuh"
#include "matrix/types.hpp"

#include <cstdint>

namespace sptune::cuda {

namespace {  // each source has its own: docs/add-a-format.md

/// Tile t carries carry[t] to row carry_row[t], to none if that is not in [0, rows). Adds to each
/// row all that is carried to it, which tiles do that follow each other, in the same order every
/// time. Launched early: y is there once the kernel before has ended.
template <class T>
__global__ void add_carries(const index_t* carry_row, const T* carry, std::int64_t tiles,
                            index_t rows, T alpha, T* y) {
    wait_for_previous();
    const std::int64_t t = global_thread();
    const index_t row = t < tiles ? carry_row[t] : -1;
    const bool head = row >= 0 && row < rows && (t == 0 || carry_row[t - 1] != row);
    // Where a row goes through very many tiles, the whole warp adds them up.
    const bool wide = head && t + kWarp < tiles && carry_row[t + kWarp] == row;
    if (head && !wide) {
        T sum{0};
        for (std::int64_t u = t; u < tiles && carry_row[u] == row; ++u) sum += carry[u];
        y[row] += alpha * sum;
    }
    for (unsigned heads = __ballot_sync(kFullMask, wide); heads; heads &= heads - 1) {
        const int leader = __ffs(static_cast<int>(heads)) - 1, lane = threadIdx.x % kWarp;
        const index_t theirs = __shfl_sync(kFullMask, row, leader);
        T sum{0};
        for (std::int64_t u = t + leader; u < tiles && carry_row[u] == theirs; u += kWarp)
            sum += carry[u];
        sum = group_sum<kWarp>(sum);
        if (lane == leader) y[row] += alpha * sum;
    }
}

}  // namespace
}  // namespace sptune::cuda
