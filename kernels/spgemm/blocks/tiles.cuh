// The kernel of multiply_tiles().
#pragma once

#include "kernels/spgemm/blocks/arithmetic.cuh"
#include "kernels/spgemm/blocks/tiles.hpp"
#include "matrix/cuda/device.cuh"

namespace sptune::cuda {

/// What a warp computes: 2 pairs of tile rows × 8 tile columns, 64 doubles in each lane.
inline constexpr int kPairs = 2, kWarpRows = 2 * kPairs, kWarpCols = 8;
/// Groups of steps of the inner dimension that are on their way or in use, and steps of a group.
inline constexpr int kStages = 3;
template <class V>
constexpr int kDepth = 32 / sizeof(V);

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

/// A barrier in shared memory that also counts bytes which copies in the background have brought.
class Barrier {
  public:
    __device__ void init(int arrivals) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address()), "r"(arrivals));
    }
    __device__ void arrive() {
        asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address()) : "memory");
    }
    __device__ void arrive_and_expect(unsigned bytes) {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address()),
                     "r"(bytes)
                     : "memory");
    }
    /// Until the phase of this parity is over.
    __device__ void wait(unsigned parity) {
        asm volatile(
            "{\n"
            ".reg .pred done;\n"
            "again:\n"
            "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
            "@!done bra again;\n"
            "}" ::"r"(address()),
            "r"(parity)
            : "memory");
    }
    /// Begins to copy `bytes`, a multiple of 16, from global to shared memory.
    __device__ void copy(void* to, const void* from, unsigned bytes) {
        asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, "
            "[%3];" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
            "l"(from), "r"(bytes), "r"(address())
            : "memory");
    }

  private:
    __device__ unsigned address() const {
        return static_cast<unsigned>(__cvta_generic_to_shared(&state_));
    }
    std::uint64_t state_;
};

/// Bits [from, from + count) of `bits`, count < 32.
__device__ __forceinline__ unsigned some_bits(unsigned bits, int from, int count) {
    return bits >> from & ((1u << count) - 1);
}

/// Of 32 steps of the inner dimension, lane l knows which tiles row l has in `cols` columns of B,
/// and the number of the first.
struct RowOfB {
    unsigned bits = 0, first = 0;

    template <class V>
    __device__ RowOfB(const TileView<V>& b, std::int64_t col, int cols, int word) {
        const std::int64_t row = std::int64_t{word} * kIndexBits + threadIdx.x % kWarp;
        if (row >= b.tile_rows) return;
        const std::int64_t at = row * b.words + col / kIndexBits;
        const int shift = col % kIndexBits;
        const unsigned whole = b.bits[at];
        first = b.first[at] + __popc(some_bits(whole, 0, shift));
        bits = some_bits(whole, shift, cols);
    }
};

/// `RowWarps` × `ColWarps` warps, each with its part of C in registers, go along the inner
/// dimension, kDepth steps at a time. They take turns at fetching the tiles of such a group into
/// shared memory, kStages - 1 groups ahead: those of a row of A in these steps, and those of a step
/// in these columns of B, lie side by side in global memory, so that each takes one copy. Tiles
/// that do not exist are neither fetched nor multiplied, except as the other half of a pair of A.
/// Barriers tell when a stage is full and when all are done with it; apart from that the warps do
/// not wait for each other.
template <class V, int RowWarps, int ColWarps>
struct TileProduct {
    static constexpr int kWorkers = RowWarps * ColWarps;
    static constexpr int kThreads = kWorkers * kWarp;
    static constexpr int kRows = RowWarps * kWarpRows, kCols = ColWarps * kWarpCols;
    static constexpr int kSteps = kDepth<V>;
    static constexpr int kStageTiles = kSteps * (kRows + kCols);
    static constexpr std::size_t kTiles = std::size_t{kStages} * kStageTiles * kTileSize;
    static constexpr std::size_t kShared = kTiles * sizeof(V) + 2 * kStages * sizeof(Barrier);
    static constexpr int kGroups = kIndexBits / kSteps;  // of a word of the index
    static_assert(kRows + kSteps <= kWarp && kCols < kIndexBits && kIndexBits % kCols == 0);
    static_assert(kStages - 1 <= kGroups);

    TileView<V> a, b;
    V* shared;
    std::int64_t a_row, b_col;
    double sum[kPairs][kWarpCols][4] = {};

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
        const RowOfB row(b, b_col, kCols, word);
        const int of_step = (from + step) & (kIndexBits - 1);
        const unsigned b_bits = __shfl_sync(kFullMask, row.bits, of_step);
        const unsigned b_first = __shfl_sync(kFullMask, row.first, of_step);
        int count = 0;
        const V* source = nullptr;
        V* to = tiles(stage);
        if (lane < kRows && a_row + lane < a.tile_rows) {
            const std::int64_t at = (a_row + lane) * a.words + word;
            const unsigned bits = a.bits[at];
            count = __popc(some_bits(bits, from, kSteps));
            source = a.values +
                     (std::int64_t{a.first[at]} + __popc(some_bits(bits, 0, from))) * kTileSize;
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

    static __device__ TwoOf<V> mine(const V* tile) {
        return reinterpret_cast<const TwoOf<V>*>(tile)[threadIdx.x % kWarp];
    }

    template <bool First, bool Second>
    __device__ void multiply_columns(const double (&left)[kPairs][4], unsigned columns,
                                     const TwoOf<V> (&right)[kWarpCols]) {
#pragma unroll
        for (int j = 0; j < kWarpCols; ++j) {
            if (!(columns >> j & 1u)) continue;
            const double two[2] = {static_cast<double>(right[j].x),
                                   static_cast<double>(right[j].y)};
            if constexpr (First) multiply_add(sum[0][j], left[0], two);
            if constexpr (Second) multiply_add(sum[1][j], left[1], two);
        }
    }

    /// One step: `rows` and `columns` say which tiles there are; `left` and `right` are where the
    /// first of each row of A is and the first of these columns of B.
    __device__ void multiply_step(const unsigned (&bits)[kWarpRows], int step, unsigned columns,
                                  const V* of_a, const V* of_b) {
        TwoOf<V> raw[kWarpRows] = {}, right[kWarpCols] = {};
        unsigned rows = 0;
#pragma unroll
        for (int i = 0; i < kWarpRows; ++i)
            if (bits[i] >> step & 1u) {
                rows |= 1u << i;
                raw[i] =
                    mine(of_a + (i * kSteps + __popc(some_bits(bits[i], 0, step))) * kTileSize);
            }
        if (rows == 0 || columns == 0) return;
#pragma unroll
        for (int j = 0; j < kWarpCols; ++j)
            if (columns >> j & 1u) {
                right[j] = mine(of_b);
                of_b += kTileSize;
            }
        double left[kPairs][4];
#pragma unroll
        for (int i = 0; i < kWarpRows; ++i) {
            left[i / 2][i % 2] = static_cast<double>(raw[i].x);
            left[i / 2][2 + i % 2] = static_cast<double>(raw[i].y);
        }
        const bool first = rows & 3u, second = rows & 12u;
        if (first && second)
            multiply_columns<true, true>(left, columns, right);
        else if (first)
            multiply_columns<true, false>(left, columns, right);
        else
            multiply_columns<false, true>(left, columns, right);
    }

    __device__ void multiply_all() {
        const int warp = threadIdx.x / kWarp;
        const int row = warp / ColWarps * kWarpRows, col = warp % ColWarps * kWarpCols;
        unsigned next_a[kWarpRows];
        const auto look_ahead = [&](int word) {
#pragma unroll
            for (int i = 0; i < kWarpRows; ++i) next_a[i] = bits_of_a(a_row + row + i, word);
            return RowOfB(b, b_col, kCols, word).bits;
        };
        unsigned next_b = look_ahead(0);
        for (int word = 0, group = 0; word < a.words; ++word) {
            unsigned of_a[kWarpRows];
#pragma unroll
            for (int i = 0; i < kWarpRows; ++i) of_a[i] = next_a[i];
            const unsigned of_b = next_b;
            next_b = look_ahead(word + 1);
            for (int from = 0; from < kIndexBits; from += kSteps, ++group) {
                unsigned bits[kWarpRows];
#pragma unroll
                for (int i = 0; i < kWarpRows; ++i) bits[i] = some_bits(of_a[i], from, kSteps);
                const int ahead = group + kStages - 1;
                if (group % kWorkers == warp && ahead < a.words * kGroups) fetch(ahead);
                const int stage = group % kStages;
                const V* const left = tiles(stage) + row * (kSteps * kTileSize);
                const V* const right = tiles(stage) + kRows * (kSteps * kTileSize);
                full(stage).wait(group / kStages % 2);
#pragma unroll 1
                for (int step = 0; step < kSteps; ++step) {
                    const unsigned there = __shfl_sync(kFullMask, of_b, from + step);
                    const int before = __popc(some_bits(there, 0, col));
                    multiply_step(bits, step, some_bits(there, col, kWarpCols), left,
                                  right + (step * kCols + before) * kTileSize);
                }
                __syncwarp();
                if (threadIdx.x % kWarp == 0) empty(stage).arrive();
            }
        }
    }

    __device__ void run() {
        if (threadIdx.x == 0) {
            for (int s = 0; s < kStages; ++s) full(s).init(1), empty(s).init(kWorkers);
            asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        }
        __syncthreads();
        if (threadIdx.x < kWarp)
            for (int group = 0; group < kStages - 1; ++group) fetch(group);
        multiply_all();
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
    extern __shared__ __align__(128) char memory[];
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
