// The kernel of multiply_tiles(), for compute capability 9.0 or newer.
#pragma once

#include "kernels/spgemm/blocks/barrier.cuh"
#include "kernels/spgemm/blocks/tensor.cuh"
#include "kernels/spgemm/blocks/tiles.hpp"
#include "matrix/cuda/device.cuh"

namespace sptune::cuda {

/// How the work is shared. A warp computes kPairs pairs of tile rows × kWarpCols tile columns of C;
/// RowWarps × ColWarps warps of a block go along the inner dimension in groups of kSteps, of which
/// kStages are on their way or in use, kAhead of them after the current one.
///
/// Doubles: registers hold no more than these sums. To ask for a stage is to wait for the slowest
/// warp to leave it, so that with three stages kAhead = 2 costs 12 to 17 %.
template <class V>
struct TileShape {
    static constexpr int kPairs = 2, kWarpCols = 8, kRowWarps = 4, kColWarps = 2;
    static constexpr int kSteps = 32 / sizeof(V), kStages = 3, kAhead = 1;
};
/// Large parts of C for a warp: its step costs about 130 instructions before the first product, of
/// which there are more then, and those of the four pairs hide each other's latency. On an H200
/// with half of all tiles there a scheduler takes 357 cycles for a step of 32 tiles of C, of which
/// tensor cores are busy 150 (21 products of 6.9) and shared memory 70; 12 warps of 8 × 4 tiles,
/// which issue 230 instructions in that time, and 16 of 4 × 8 are as fast (1 %). Groups of two
/// steps instead of four cost 6 %, two smaller blocks for each multiprocessor 5 %.
template <>
struct TileShape<float> {
    static constexpr int kPairs = 4, kWarpCols = 8, kRowWarps = 2, kColWarps = 4;
    static constexpr int kSteps = 4, kStages = 4, kAhead = 2;
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
    static constexpr int kPairs = Shape::kPairs, kWarpRows = 2 * kPairs;
    static constexpr int kWarpCols = Shape::kWarpCols, kColWarps = Shape::kColWarps;
    static constexpr int kSteps = Shape::kSteps;
    static constexpr int kStages = Shape::kStages, kAhead = Shape::kAhead;
    static constexpr int kWorkers = Shape::kRowWarps * kColWarps;
    static constexpr int kThreads = kWorkers * kWarp;
    static constexpr int kRows = Shape::kRowWarps * kWarpRows, kCols = kColWarps * kWarpCols;
    static constexpr int kStageTiles = kSteps * (kRows + kCols);
    static constexpr std::size_t kTiles = std::size_t{kStages} * kStageTiles * kTileSize;
    static constexpr std::size_t kShared = kTiles * sizeof(V) + 2 * kStages * sizeof(Barrier);
    static constexpr int kGroups = kIndexBits / kSteps;  // of a word of the index
    static_assert(kRows + kSteps <= kWarp && kIndexBits % kCols == 0);
    static_assert(kAhead < kStages && kAhead <= kGroups && kWarpRows + kWarpCols <= 16);
    using Number = Tensor<V>;
    using Mine = TwoOf<V>;
    static_assert(2 * kWarp == kTileSize);

    TileView<V> a, b;
    V* shared;
    std::int64_t a_row, b_col;
    typename Number::Sum sum[kWarpCols][kPairs][4] = {};

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
            source = a.values + (std::int64_t{a.first[at]} + count_before(bits, from)) * kTileSize;
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

    /// Where in the block this warp's part of C begins.
    static __device__ int row_of_warp() { return threadIdx.x / kWarp / kColWarps * kWarpRows; }
    static __device__ int col_of_warp() { return threadIdx.x / kWarp % kColWarps * kWarpCols; }
    /// This lane's numbers of the tiles of a stage from number `n` on, kWarp apart.
    __device__ const Mine* mine(int stage, int n) const {
        return reinterpret_cast<const Mine*>(tiles(stage)) + n * kWarp + threadIdx.x % kWarp;
    }

    /// Which tiles there are in a step.
    struct Plan {
        unsigned bits;  ///< columns, then rows, from bit 16 on tiles of B before the first column
        __device__ bool column(int j) const { return bits >> j & 1u; }
        __device__ unsigned columns() const { return some_bits<kWarpCols>(bits, 0); }
        __device__ bool row(int i) const { return bits >> (kWarpCols + i) & 1u; }
        __device__ unsigned pair(int i) const { return bits & 3u << (kWarpCols + 2 * i); }
        __device__ unsigned rows() const { return some_bits<kWarpRows>(bits, kWarpCols); }
        __device__ unsigned before() const { return bits >> 16; }
    };

    /// One step: `left` and `right` are where the next tile of each row of A is and the first of
    /// the step of B.
    __device__ void multiply_step(Plan plan, const Mine* (&left)[kWarpRows], const Mine* right) {
        Mine of_a[kWarpRows] = {}, of_b[kWarpCols];
#pragma unroll
        for (int i = 0; i < kWarpRows; ++i)
            if (plan.row(i)) left[i] += kWarp;
        if (plan.columns() == 0 || plan.rows() == 0) return;
        right += plan.before() * kWarp;
#pragma unroll
        for (int i = 0; i < kWarpRows; ++i)
            if (plan.row(i)) of_a[i] = left[i][-kWarp];
#pragma unroll
        for (int j = 0; j < kWarpCols; ++j)
            if (plan.column(j)) {
                of_b[j] = *right;
                right += kWarp;
            }
        typename Number::Left pairs[kPairs];
        unsigned wanted[kPairs];
#pragma unroll
        for (int i = 0; i < kPairs; ++i) {
            pairs[i].set(of_a[2 * i], of_a[2 * i + 1]);
            wanted[i] = plan.pair(i);
        }
#pragma unroll
        for (int j = 0; j < kWarpCols; ++j) {
            if (!plan.column(j)) continue;
            typename Number::Right column;
            column.set(of_b[j]);
            Number::multiply_add(sum[j], pairs, column, wanted);
        }
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
        const int row = row_of_warp(), col = col_of_warp();
        Plan next = plans_of(row, col, 0);
        int stage = 0;
        unsigned parity = 0;
        for (int word = 0, group = 0; word < a.words; ++word) {
            const Plan plans = next;
            next = plans_of(row, col, word + 1);
            for (int from = 0; from < kIndexBits; from += kSteps, ++group) {
                const int ahead = group + kAhead;
                if (group % kWorkers == warp && ahead < a.words * kGroups) fetch(ahead);
                const Mine* left[kWarpRows];
#pragma unroll
                for (int i = 0; i < kWarpRows; ++i) left[i] = mine(stage, (row + i) * kSteps);
                const Mine* right = mine(stage, kRows * kSteps);
                full(stage).wait(parity);
#pragma unroll 1
                for (int step = 0; step < kSteps; ++step) {
                    const unsigned plan =
                        __reduce_or_sync(kFullMask, lane == from + step ? plans.bits : 0);
                    multiply_step({plan}, left, right);
                    right += kCols * kWarp;
                }
                __syncwarp();
                if (lane == 0) empty(stage).arrive();
                if (++stage == kStages) stage = 0, parity ^= 1u;
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
        const int lane = threadIdx.x % kWarp;
        const std::int64_t row0 = (a_row + row_of_warp()) * kTile + lane / 4;
        const std::int64_t col0 = (b_col + col_of_warp()) * kTile + lane % 4 * 2;
#pragma unroll
        for (int i = 0; i < kWarpRows; ++i)
#pragma unroll
            for (int j = 0; j < kWarpCols; ++j)
#pragma unroll
                for (int n = 0; n < 2; ++n) {
                    const std::int64_t r = row0 + i * kTile, k = col0 + j * kTile + n;
                    if (r < rows && k < cols)
                        c[r * cols + k] = Arithmetic<V>::of_tensor(sum[j][i / 2][i % 2 * 2 + n]);
                }
    }
};

/// Blocks go down a panel of `kPanel` block rows of C, then to the next block column, so that the
/// blocks that run at the same time share tiles in the cache.
inline constexpr unsigned kPanel = 12;

template <class V, class Shape = TileShape<V>>
__global__ void __launch_bounds__(TileProduct<V, Shape>::kThreads, 1)
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
