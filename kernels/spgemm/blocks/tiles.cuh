// The kernel of multiply_tiles().
#pragma once

#include "kernels/spgemm/blocks/arithmetic.cuh"
#include "kernels/spgemm/blocks/tiles.hpp"
#include "matrix/cuda/device.cuh"

namespace sptune::cuda {

/// What a warp computes: 2 pairs of tile rows × 8 tile columns, 64 doubles in each lane.
inline constexpr int kPairs = 2, kWarpRows = 2 * kPairs, kWarpCols = 8;
/// Tiles of the inner dimension that are fetched together, and how many such groups are on their
/// way or in use.
inline constexpr int kDepth = 4;
template <class V>
constexpr int kStages = sizeof(V) == 4 ? 4 : 3;

template <class V>
struct TileView {
    index_t tile_rows, words;
    const unsigned* bits;
    const unsigned* first;
    const V* values;
};

template <class V>
struct alignas(2 * sizeof(V)) TwoOf {
    V x, y;
};

/// c += a·b for a 16×8 and an 8×8 matrix of doubles, spread over a warp. The columns of a and the
/// rows of b may be in any order as long as it is the same: this lane holds 2t and 2t + 1, t = its
/// place in its group of four, where the instruction speaks of t and t + 4.
__device__ __forceinline__ void multiply_add(double (&c)[4], const double (&a)[4],
                                             const double (&b)[2]) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
        "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
#else  // the same in quarters, the largest that compute capability 8.0 has
#pragma unroll
    for (int part = 0; part < 4; ++part) {
        const int rows = part % 2, inner = part / 2;
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                     : "+d"(c[2 * rows]), "+d"(c[2 * rows + 1])
                     : "d"(a[part]), "d"(b[inner]));
    }
#endif
}

__device__ __forceinline__ void copy_async(void* to, const void* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     static_cast<unsigned>(__cvta_generic_to_shared(to))),
                 "l"(from));
}
__device__ __forceinline__ void commit_copies() {
    asm volatile("cp.async.commit_group;");
}
template <int Left>
__device__ __forceinline__ void wait_copies() {
    asm volatile("cp.async.wait_group %0;" ::"n"(Left));
}

/// Which tiles there are in 32 steps of the inner dimension, spread over a warp: lane l knows tile
/// row l of this block's part of A, and its part of row l of these 32 of B.
struct Steps {
    unsigned a_bits, a_first, b_bits, b_first;

    template <class V>
    __device__ Steps(const TileView<V>& a, const TileView<V>& b, std::int64_t a_row, int a_rows,
                     std::int64_t b_col, int b_cols, int word) {
        const int lane = threadIdx.x % kWarp;
        a_bits = a_first = b_bits = b_first = 0;
        if (lane < a_rows && a_row + lane < a.tile_rows) {
            const std::int64_t at = (a_row + lane) * a.words + word;
            a_bits = a.bits[at];
            a_first = a.first[at];
        }
        const std::int64_t row = std::int64_t{word} * kIndexBits + lane;
        if (row < b.tile_rows) {
            const std::int64_t at = row * b.words + b_col / kIndexBits;
            const int shift = b_col % kIndexBits;
            const unsigned whole = b.bits[at];
            b_first = b.first[at] + __popc(whole & ((1u << shift) - 1));
            b_bits = whole >> shift;
            if (b_cols < kIndexBits) b_bits &= (1u << b_cols) - 1;
        }
    }
    /// Bit i: tile (i, step) of A exists. All lanes call.
    __device__ unsigned a_mask(int step) const {
        return __ballot_sync(kFullMask, a_bits >> step & 1u);
    }
    __device__ unsigned b_mask(int step) const { return __shfl_sync(kFullMask, b_bits, step); }
};

/// `RowWarps` × `ColWarps` warps, each with its part of C in registers, go along the inner
/// dimension together. Tiles are fetched into shared memory kStages - 1 groups ahead; a tile that
/// does not exist is neither fetched nor multiplied, except as the other half of a pair of A.
template <class V, int RowWarps, int ColWarps>
struct TileProduct {
    static constexpr int kThreads = RowWarps * ColWarps * kWarp;
    static constexpr int kRows = RowWarps * kWarpRows, kCols = ColWarps * kWarpCols;
    static constexpr int kSlots = kRows + kCols;  // tiles of one step
    static constexpr int kStageTiles = kDepth * kSlots;
    static constexpr std::size_t kShared = sizeof(V) * kTileSize * kStageTiles * kStages<V>;
    static_assert(kRows <= kWarp && kIndexBits % kCols == 0 && kIndexBits % kDepth == 0);

    TileView<V> a, b;
    V* shared;
    std::int64_t a_row, b_col;
    double sum[kPairs][kWarpCols][4] = {};

    __device__ Steps steps(int word) const { return {a, b, a_row, kRows, b_col, kCols, word}; }
    __device__ V* stage(int group) const {
        return shared + std::int64_t{group % kStages<V>} * (kStageTiles * kTileSize);
    }

    /// Begins to fetch the tiles of kDepth steps.
    __device__ void fetch(int group, const Steps& s) const {
        constexpr int lanes = kTileSize * sizeof(V) / 16;  // of one tile
        constexpr int together = kThreads / lanes;
        const int warp_first = threadIdx.x / kWarp * (kWarp / lanes);
        const int part = threadIdx.x % lanes;
        V* const to = stage(group);
#pragma unroll
        for (int d = 0; d < kDepth; ++d) {
            const int step = group * kDepth % kIndexBits + d;
            const unsigned b_bits = __shfl_sync(kFullMask, s.b_bits, step);
            const unsigned b_first = __shfl_sync(kFullMask, s.b_first, step);
#pragma unroll
            for (int base = 0; base < kSlots; base += together) {
                const int slot = base + warp_first + threadIdx.x % kWarp / lanes;
                const int row = slot < kRows ? slot : 0;
                const unsigned a_bits = __shfl_sync(kFullMask, s.a_bits, row);
                const unsigned a_first = __shfl_sync(kFullMask, s.a_first, row);
                if (slot >= kSlots) continue;
                const bool left = slot < kRows;
                const unsigned bits = left ? a_bits : b_bits;
                const int at = left ? step : slot - kRows;
                if (!(bits >> at & 1u)) continue;
                const std::int64_t tile =
                    (left ? a_first : b_first) + __popc(bits & ((1u << at) - 1));
                copy_async(
                    to + (d * kSlots + slot) * kTileSize + part * (16 / sizeof(V)),
                    (left ? a.values : b.values) + tile * kTileSize + part * (16 / sizeof(V)));
            }
        }
    }

    static __device__ TwoOf<V> mine(const V* tile) {
        return reinterpret_cast<const TwoOf<V>*>(tile)[threadIdx.x % kWarp];
    }

    template <bool First, bool Second>
    __device__ void multiply_columns(const double (&left)[kPairs][4], unsigned columns,
                                     const V* tiles) {
#pragma unroll
        for (int j = 0; j < kWarpCols; ++j) {
            if (!(columns >> j & 1u)) continue;
            const TwoOf<V> two = mine(tiles + j * kTileSize);
            const double right[2] = {static_cast<double>(two.x), static_cast<double>(two.y)};
            if constexpr (First) multiply_add(sum[0][j], left[0], right);
            if constexpr (Second) multiply_add(sum[1][j], left[1], right);
        }
    }

    __device__ void multiply_step(const V* tiles, unsigned rows, unsigned columns, int row,
                                  int col) {
        rows = rows >> row & ((1u << kWarpRows) - 1);
        columns = columns >> col & ((1u << kWarpCols) - 1);
        if (rows == 0 || columns == 0) return;
        double left[kPairs][4];
#pragma unroll
        for (int i = 0; i < kWarpRows; ++i) {
            double x = 0, y = 0;
            if (rows >> i & 1u) {
                const TwoOf<V> two = mine(tiles + (row + i) * kTileSize);
                x = static_cast<double>(two.x), y = static_cast<double>(two.y);
            }
            left[i / 2][i % 2] = x, left[i / 2][2 + i % 2] = y;
        }
        const V* const right = tiles + (kRows + col) * kTileSize;
        const bool first = rows & 3u, second = rows & 12u;
        if (first && second)
            multiply_columns<true, true>(left, columns, right);
        else if (first)
            multiply_columns<true, false>(left, columns, right);
        else
            multiply_columns<false, true>(left, columns, right);
    }

    __device__ void run() {
        const int warp = threadIdx.x / kWarp;
        const int row = warp / ColWarps * kWarpRows, col = warp % ColWarps * kWarpCols;
        const int groups = a.words * (kIndexBits / kDepth);
        constexpr int per_word = kIndexBits / kDepth, ahead = kStages<V> - 1;
        Steps fetched = steps(0), used = fetched;
        for (int g = 0; g < ahead; ++g) {
            fetch(g, fetched);  // fewer groups are ahead than a word has
            commit_copies();
        }
        static_assert(ahead < per_word);
        for (int g = 0; g < groups; ++g) {
            wait_copies<ahead - 1>();
            __syncthreads();
            const int next = g + ahead;
            if (next < groups) {
                if (next % per_word == 0) fetched = steps(next / per_word);
                fetch(next, fetched);
            }
            commit_copies();
            if (g > 0 && g % per_word == 0) used = steps(g / per_word);
            const V* const tiles = stage(g);
#pragma unroll
            for (int d = 0; d < kDepth; ++d) {
                const int step = g % per_word * kDepth + d;
                multiply_step(tiles + d * (kSlots * kTileSize), used.a_mask(step),
                              used.b_mask(step), row, col);
            }
        }
    }

    __device__ void store(index_t rows, index_t cols, V* c) const {
        const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
        const std::int64_t row0 = (a_row + warp / ColWarps * kWarpRows) * kTile + lane / 4;
        const std::int64_t col0 = (b_col + warp % ColWarps * kWarpCols) * kTile + lane % 4 * 2;
#pragma unroll
        for (int i = 0; i < kWarpRows; ++i)
#pragma unroll
            for (int j = 0; j < kWarpCols; ++j)
#pragma unroll
                for (int n = 0; n < 2; ++n) {
                    const std::int64_t r = row0 + i * kTile, k = col0 + j * kTile + n;
                    if (r < rows && k < cols)
                        c[r * cols + k] = Arithmetic<V>::of_double(sum[i / 2][j][i % 2 * 2 + n]);
                }
    }
};

/// Blocks go down a panel of `kPanel` block rows of C, then to the next block column, so that the
/// blocks that run at the same time share tiles in the cache.
inline constexpr unsigned kPanel = 12;

template <class V, int RowWarps, int ColWarps>
__global__ void __launch_bounds__(RowWarps* ColWarps* kWarp, 1)
    tiles_kernel(TileView<V> a, TileView<V> b, unsigned block_rows, unsigned block_cols,
                 index_t rows, index_t cols, V* c) {
    extern __shared__ __align__(16) char memory[];
    const unsigned panel = blockIdx.x / (kPanel * block_cols);
    const unsigned height = min(kPanel, block_rows - panel * kPanel);
    const unsigned at = blockIdx.x - panel * kPanel * block_cols;
    using Work = TileProduct<V, RowWarps, ColWarps>;
    Work work{a, b, reinterpret_cast<V*>(memory),
              std::int64_t{panel * kPanel + at % height} * Work::kRows,
              std::int64_t{at / height} * Work::kCols};
    work.run();
    work.store(rows, cols, c);
}

}  // namespace sptune::cuda
