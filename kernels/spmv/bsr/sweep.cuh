// A team of lanes multiplies blocks of one block row.
//
// Blocks lie column by column, so a block row is a sequence of columns of R values. The team takes
// as many columns at once as it has lanes for, all from consecutive addresses; a lane stays in one
// row of the block row, and after `unroll` loads the team has taken whole blocks, so that a lane
// stays in one column of its blocks, too, and divides nothing in the loop.
#pragma once

#include "kernels/cuda/matrix_load.cuh"

#include <numeric>

namespace sptune::cuda {

template <int R, int C, int Lanes>
struct Sweep {
    static_assert(R <= Lanes);
    static constexpr int columns = Lanes / R;               ///< taken at once
    static constexpr int lanes = columns * R;               ///< that have work
    static constexpr int whole = C / std::gcd(C, columns);  ///< loads until blocks come out even
    static constexpr int unroll = (4 + whole - 1) / whole * whole;
    static constexpr int blocks = unroll * columns / C;  ///< taken by `unroll` loads
};

/// Part of lane `lane` of the sum of blocks [begin, end), for row lane % R.
template <int R, int C, int Lanes, class T>
__device__ __forceinline__ T sweep_blocks(MatrixLoad load, const index_t* column, const T* values,
                                          std::int32_t begin, std::int32_t end, int lane,
                                          const T* x) {
    using S = Sweep<R, C, Lanes>;
    if (lane >= S::lanes) return T{0};
    const int place = lane / R;
    column += begin;
    values += std::int64_t{begin} * (R * C) + lane;
    T sum{0};
    for (int left = end - begin; left > 0; left -= S::blocks) {
        T value[S::unroll];
        index_t j[S::unroll];
#pragma unroll
        for (int u = 0; u < S::unroll; ++u) {
            const int at = place + u * S::columns, block = at / C;
            const bool there = block < left;
            value[u] = load.when(there, values + u * S::lanes, T{0});
            j[u] = there ? __ldg(column + block) + at % C : -1;
        }
#pragma unroll
        for (int u = 0; u < S::unroll; ++u)
            if (j[u] >= 0) sum += value[u] * gather(x, j[u]);
        column += S::blocks;
        values += S::blocks * (R * C);
    }
    return sum;
}

/// Adds up the lanes of each row; row i in lane i. All lanes of the warp take part.
template <int R, int C, int Lanes, class T>
__device__ __forceinline__ T sum_rows(T sum, int lane) {
#pragma unroll
    for (int n = Sweep<R, C, Lanes>::columns; n > 1; n = (n + 1) / 2) {
        const int half = (n + 1) / 2;
        const T other = __shfl_down_sync(kFullMask, sum, half * R);
        if (lane < (n - half) * R) sum += other;
    }
    return sum;
}

}  // namespace sptune::cuda
