// The kernel of multiply_tiles(), for compute capability 9.0 or newer.
#pragma once

#include "kernels/spgemm/blocks/barrier.cuh"
#include "kernels/spgemm/blocks/tensor.cuh"
#include "kernels/spgemm/blocks/tiles.hpp"
#include "matrix/cuda/device.cuh"

namespace sptune::cuda {

/// What a warp computes: 2 pairs of tile rows × 8 tile columns, 64 sums in each lane.
inline constexpr int kPairs = 2, kWarpRows = 2 * kPairs, kWarpCols = 8;

/// How warps share the work of a block: RowWarps × ColWarps of them go along the inner dimension in
/// groups of kSteps, kStages groups are on their way or in use, and kAhead after the current one
/// have been asked for. kBlocks blocks fit a multiprocessor.
template <class V>
struct TileShape {
    static constexpr int kRowWarps = 4, kColWarps = 2, kBlocks = 1;
    static constexpr int kSteps = 32 / sizeof(V), kStages = 3, kAhead = 1;
};

template <class V>
struct TileView {
    index_t tile_rows, words;
    const unsigned* bits;
    const unsigned* first;
    const V* values;
};

/// Bits [from, from + Count) of `bits`.
template <int Count>
__device__ __forceinline__ unsigned some_bits(unsigned bits, int from) {
    return bits >> from & (~0u >> (kIndexBits - Count));
}

/// How many of the bits before `end` < 32 are set.
__device__ __forceinline__ unsigned count_before(unsigned bits, int end) {
    return __popc(bits & ((1u << end) - 1));
}

/// Of 32 steps of the inner dimension, lane l knows which tiles row l has in `Cols` columns of B,
/// and the number of the first.
template <int Cols>
struct RowOfB {
    unsigned bits = 0, first = 0;

    template <class V>
    __device__ RowOfB(const TileView<V>& b, std::int64_t col, int word) {
        const std::int64_t row = std::int64_t{word} * kIndexBits + threadIdx.x % kWarp;
        if (row >= b.tile_rows) return;
        const std::int64_t at = row * b.words + col / kIndexBits;
        const int shift = col % kIndexBits;
        const unsigned whole = b.bits[at];
        first = b.first[at] + count_before(whole, shift);
        bits = some_bits<Cols>(whole, shift);
    }
};

/// Warps, each with its part of C in registers, go along the inner dimension. They take turns at
/// fetching the tiles of a group into shared memory: those of a row of A in these steps, and those
/// of a step in these columns of B, lie side by side in global memory, so that each takes one copy.
/// Tiles that do not exist are neither fetched nor multiplied, except as the other half of a pair
/// of A. Barriers tell when a stage is full and when all are done with it; apart from that the
/// warps do not wait for each other.
template <class V, class Shape>
struct TileProduct {
    static constexpr int kColWarps = Shape::kColWarps, kSteps = Shape::kSteps;
    static constexpr int kStages = Shape::kStages, kAhead = Shape::kAhead;
    static constexpr int kWorkers = Shape::kRowWarps * kColWarps;
    static constexpr int kThreads = kWorkers * kWarp;
    static constexpr int kRows = Shape::kRowWarps * kWarpRows, kCols = kColWarps * kWarpCols;
    static constexpr int kStageTiles = kSteps * (kRows + kCols);
    static constexpr std::size_t kTiles = std::size_t{kStages} * kStageTiles * kTileSize;
    static constexpr std::size_t kShared = kTiles * sizeof(V) + 2 * kStages * sizeof(Barrier);
    static constexpr int kGroups = kIndexBits / kSteps;  // of a word of the index
    static_assert(kRows + kSteps <= kWarp && kIndexBits % kCols == 0);
    static_assert(kAhead < kStages && kAhead <= kGroups);
    using Number = Tensor<V>;
    using Mine = TwoOf<V>;
    static_assert(2 * kWarp == kTileSize);

    TileView<V> a, b;
    V* shared;
    std::int64_t a_row, b_col;
    typename Number::Sum sum[kPairs][kWarpCols][4] = {};

    __device__ Barrier& full(int stage) const {
        return reinterpret_cast<Barrier*>(shared + kTiles)[stage];
    }
    __device__ Barrier& empty(int stage) const { return (&full(0))[kStages + stage]; }
    /// Row i of A has kSteps places from i · kSteps on, after them step s of B kCols.
    __device__ V* tiles(int stage) const {
        return shared + std::int64_t{stage} * (kStageTiles * kTileSize);
    }
    __device__ unsigned bits_of_a(std::int64_t row, int word) const {
        return row < a.tile_rows && word < a.words ? a.bits[row * a.words + word] : 0;
    }

    /// Begins to fetch a group once its stage is free: lane l < kRows row l of A, the next ones a
    /// step of B.
    __device__ void fetch(int group) const {
        const int lane = threadIdx.x % kWarp, step = lane - kRows;
        const int word = group / kGroups, from = group % kGroups * kSteps, stage = group % kStages;
        const RowOfB<kCols> row(b, b_col, word);
        const int of_step = (from + step) & (kIndexBits - 1);
        const unsigned b_bits = __shfl_sync(kFullMask, row.bits, of_step);
        const unsigned b_first = __shfl_sync(kFullMask, row.first, of_step);
        int count = 0;
        const V* source = nullptr;
        V* to = tiles(stage);
        if (lane < kRows && a_row + lane < a.tile_rows) {
            const std::int64_t at = (a_row + lane) * a.words + word;
            const unsigned bits = a.bits[at];
            count = __popc(some_bits<kSteps>(bits, from));
            source = a.values +
                     (std::int64_t{a.first[at]} + count_before(bits, from)) * kTileSize;
            to += lane * (kSteps * kTileSize);
        } else if (step >= 0 && step < kSteps) {
            count = __popc(b_bits);
            source = b.values + std::int64_t{b_first} * kTileSize;
            to += (kRows * kSteps + step * kCols) * kTileSize;
        }
        const unsigned bytes = count * static_cast<unsigned>(kTileSize * sizeof(V));
        const unsigned total = __reduce_add_sync(kFullMask, bytes);
        empty(stage).wait(group / kStages % 2 ^ 1u);
        if (lane == 0) full(stage).arrive_and_expect(total);
        __syncwarp();
        if (count > 0) full(stage).copy(to, source, bytes);
    }

    /// This lane's numbers of the tiles of a stage from number `n` on, kWarp apart.
    __device__ const Mine* mine(int stage, int n) const {
        return reinterpret_cast<const Mine*>(tiles(stage)) + n * kWarp + threadIdx.x % kWarp;
    }

    template <bool First, bool Second>
    __device__ void multiply_columns(const typename Number::Left& first,
                                     const typename Number::Left& second, unsigned columns,
                                     const Mine (&right)[kWarpCols]) {
#pragma unroll
        for (int j = 0; j < kWarpCols; ++j) {
            if (!(columns >> j & 1u)) continue;
            const typename Number::Right two(right[j]);
            if constexpr (First) Number::multiply_add(sum[0][j], first, two);
            if constexpr (Second) Number::multiply_add(sum[1][j], second, two);
        }
    }

    /// Which tiles there are in a step.
    struct Plan {
        unsigned bits;  ///< columns, rows from bit 8 on, tiles of B before the first column above
        __device__ bool column(int j) const { return bits >> j & 1u; }
        __device__ bool row(int i) const { return bits >> (kWarpCols + i) & 1u; }
        __device__ unsigned before() const { return bits >> 16; }
    };

    /// One step: `left` and `right` are where the next tile of each row of A is and the first of
    /// the step of B.
    __device__ void multiply_step(Plan plan, const Mine* (&left)[kWarpRows], const Mine* right) {
        Mine of_a[kWarpRows] = {}, of_b[kWarpCols];
#pragma unroll
        for (int i = 0; i < kWarpRows; ++i)
            if (plan.row(i)) {
                of_a[i] = *left[i];
                left[i] += kWarp;
            }
        const bool first = plan.row(0) || plan.row(1), second = plan.row(2) || plan.row(3);
        if (!first && !second) return;
        right += plan.before() * kWarp;
#pragma unroll
        for (int j = 0; j < kWarpCols; ++j)
            if (plan.column(j)) {
                of_b[j] = *right;
                right += kWarp;
            }
        const typename Number::Left upper(of_a[0], of_a[1]), lower(of_a[2], of_a[3]);
        if (first && second)
            multiply_columns<true, true>(upper, lower, plan.bits, of_b);
        else if (first)
            multiply_columns<true, false>(upper, lower, plan.bits, of_b);
        else
            multiply_columns<false, true>(upper, lower, plan.bits, of_b);
    }

    /// Of 32 steps, lane l knows the plan of step l.
    __device__ Plan plans_of(std::int64_t row, int col, int word) const {
        const int lane = threadIdx.x % kWarp;
        const unsigned bits = RowOfB<kCols>(b, b_col, word).bits;
        unsigned plan = some_bits<kWarpCols>(bits, col) | count_before(bits, col) << 16;
#pragma unroll
        for (int i = 0; i < kWarpRows; ++i)
            plan |= some_bits<1>(bits_of_a(a_row + row + i, word), lane) << (kWarpCols + i);
        return {plan};
    }

    __device__ void multiply_all() {
        const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
        const int row = warp / kColWarps * kWarpRows, col = warp % kColWarps * kWarpCols;
        Plan next = plans_of(row, col, 0);
        for (int word = 0, group = 0; word < a.words; ++word) {
            const Plan plans = next;
            next = plans_of(row, col, word + 1);
            for (int from = 0; from < kIndexBits; from += kSteps, ++group) {
                const int ahead = group + kAhead, stage = group % kStages;
                if (group % kWorkers == warp && ahead < a.words * kGroups) fetch(ahead);
                const Mine* left[kWarpRows];
#pragma unroll
                for (int i = 0; i < kWarpRows; ++i)
                    left[i] = mine(stage, (row + i) * kSteps);
                const Mine* right = mine(stage, kRows * kSteps);
                full(stage).wait(group / kStages % 2);
#pragma unroll 1
                for (int step = 0; step < kSteps; ++step) {
                    const unsigned plan =
                        __reduce_or_sync(kFullMask, lane == from + step ? plans.bits : 0);
                    multiply_step({plan}, left, right);
                    right += kCols * kWarp;
                }
                __syncwarp();
                if (lane == 0) empty(stage).arrive();
            }
        }
    }

    __device__ void run() {
        if (threadIdx.x == 0) {
            for (int s = 0; s < kStages; ++s) full(s).init(1), empty(s).init(kWorkers);
            Barrier::initialised();
        }
        __syncthreads();
        if (threadIdx.x < kWarp)
            for (int group = 0; group < kAhead; ++group) fetch(group);
        multiply_all();
    }

    __device__ void store(index_t rows, index_t cols, V* c) const {
        const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
        const std::int64_t row0 = (a_row + warp / kColWarps * kWarpRows) * kTile + lane / 4;
        const std::int64_t col0 = (b_col + warp % kColWarps * kWarpCols) * kTile + lane % 4 * 2;
#pragma unroll
        for (int i = 0; i < kWarpRows; ++i)
#pragma unroll
            for (int j = 0; j < kWarpCols; ++j)
#pragma unroll
                for (int n = 0; n < 2; ++n) {
                    const std::int64_t r = row0 + i * kTile, k = col0 + j * kTile + n;
                    if (r < rows && k < cols)
                        c[r * cols + k] = Arithmetic<V>::of_tensor(sum[i / 2][j][i % 2 * 2 + n]);
                }
    }
};

/// Blocks go down a panel of `kPanel` block rows of C, then to the next block column, so that the
/// blocks that run at the same time share tiles in the cache.
inline constexpr unsigned kPanel = 12;

template <class V, class Shape = TileShape<V>>
__global__ void __launch_bounds__(TileProduct<V, Shape>::kThreads, Shape::kBlocks)
    tiles_kernel(TileView<V> a, TileView<V> b, unsigned block_rows, unsigned block_cols,
                 index_t rows, index_t cols, V* c) {
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) char memory[];
    const unsigned panel = blockIdx.x / (kPanel * block_cols);
    const unsigned height = min(kPanel, block_rows - panel * kPanel);
    const unsigned at = blockIdx.x - panel * kPanel * block_cols;
    using Work = TileProduct<V, Shape>;
    Work work{a, b, reinterpret_cast<V*>(memory),
              std::int64_t{panel * kPanel + at % height} * Work::kRows,
              std::int64_t{at / height} * Work::kCols};
    work.run();
    work.store(rows, cols, c);
#endif
}

}  // namespace sptune::cuda
