// The kernels of the ladder. "Was this position written" is a bit beside the sum, so that a sum of
// 0 counts as an entry. Where a tile has no entries of the rows of B at all, it is passed over:
// while one tile is summed, the next column beyond it is noted.
#pragma once

#include "kernels/spgemm/tiled/ladder.hpp"
#include "matrix/cuda/device.cuh"

#include <limits>

#include <cub/block/block_scan.cuh>

namespace sptune::cuda {

inline constexpr int kWord = 32;  ///< bits of a word of the marks
inline constexpr index_t kNoColumn = std::numeric_limits<index_t>::max();

/// Where the tile with column j begins.
template <int Tile>
__device__ std::int64_t tile_of(index_t j) {
    return static_cast<std::int64_t>(j) / Tile * Tile;
}

template <class T>
__device__ void put(const CooSink<T>& to, unsigned long long place, index_t row, index_t col,
                    T value) {
    to.row[place] = row;
    to.col[place] = col;
    to.value[place] = value;
}

/// Kernel 0: a thread per row, its tile in its own (local) memory, everything read where it is
/// needed.
template <int Tile, class T, class P>
__global__ void row_of_thread(CsrView<T, P> a, CsrView<T, P> b, index_t first, index_t last,
                              CooSink<T> c) {
    const std::int64_t row = first + global_thread();
    if (row >= last) return;
    T sum[Tile];
    unsigned written[Tile / kWord];
    index_t next = 0;
    while (next != kNoColumn) {
        const std::int64_t tile = tile_of<Tile>(next);
        next = kNoColumn;
        for (int i = 0; i < Tile; ++i) sum[i] = T{0};
        for (int i = 0; i < Tile / kWord; ++i) written[i] = 0;
        for (P k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k)
            for (P n = b.row_ptr[a.col_idx[k]]; n < b.row_ptr[a.col_idx[k] + 1]; ++n) {
                const std::int64_t at = b.col_idx[n] - tile;
                if (at >= Tile) next = min(next, b.col_idx[n]);
                if (at < 0 || at >= Tile) continue;
                sum[at] += a.values[k] * b.values[n];
                written[at / kWord] |= 1u << at % kWord;
            }
        for (int i = 0; i < Tile; ++i)
            if (written[i / kWord] >> i % kWord & 1u)
                put(c, atomicAdd(c.count, 1ull), static_cast<index_t>(row),
                    static_cast<index_t>(tile + i), sum[i]);
    }
}

/// Kernel 1: as kernel 0, with what does not change taken out of the loops and the promise that no
/// two arrays overlap.
template <int Tile, class T, class P>
__global__ void row_of_thread_hoisted(
    const P* __restrict__ a_ptr, const index_t* __restrict__ a_col, const T* __restrict__ a_values,
    const P* __restrict__ b_ptr, const index_t* __restrict__ b_col, const T* __restrict__ b_values,
    index_t first, index_t last, index_t* __restrict__ c_row, index_t* __restrict__ c_col,
    T* __restrict__ c_value, unsigned long long* __restrict__ count) {
    const std::int64_t row = first + global_thread();
    if (row >= last) return;
    T sum[Tile];
    unsigned written[Tile / kWord];
    const P begin = a_ptr[row], end = a_ptr[row + 1];
    index_t next = 0;
    while (next != kNoColumn) {
        const std::int64_t tile = tile_of<Tile>(next);
        next = kNoColumn;
        for (int i = 0; i < Tile; ++i) sum[i] = T{0};
        for (int i = 0; i < Tile / kWord; ++i) written[i] = 0;
        for (P k = begin; k < end; ++k) {
            const index_t inner = a_col[k];
            const T factor = a_values[k];
            const P b_end = b_ptr[inner + 1];
            for (P n = b_ptr[inner]; n < b_end; ++n) {
                const index_t j = b_col[n];
                const std::int64_t at = j - tile;
                if (at >= Tile) next = min(next, j);
                if (at < 0 || at >= Tile) continue;
                sum[at] += factor * b_values[n];
                written[at / kWord] |= 1u << at % kWord;
            }
        }
        for (int w = 0; w < Tile / kWord; ++w)
            for (unsigned left = written[w]; left; left &= left - 1) {
                const int i = w * kWord + __ffs(static_cast<int>(left)) - 1;
                const unsigned long long place = atomicAdd(count, 1ull);
                c_row[place] = static_cast<index_t>(row);
                c_col[place] = static_cast<index_t>(tile + i);
                c_value[place] = sum[i];
            }
    }
}

/// How a block hands over its tile.
enum class WriteBack {
    each,     ///< kernel 2: a global atomic for every entry
    batched,  ///< kernel 3: counted by shared atomics, one global atomic for the tile
    counted,  ///< kernel 4: counted while summing, in registers, and added up by warps
    scanned,  ///< no count: places by a prefix sum over the marks
};

/// Kernels 2, 3, 4 and the prefix sum: a block per row, its threads side by side over the entries
/// of that row of A, the tile in shared memory.
template <WriteBack How, int Block, int Tile, class T, class P>
__global__ void __launch_bounds__(Block)
    row_of_block(const P* __restrict__ a_ptr, const index_t* __restrict__ a_col,
                 const T* __restrict__ a_values, const P* __restrict__ b_ptr,
                 const index_t* __restrict__ b_col, const T* __restrict__ b_values, index_t first,
                 CooSink<T> c) {
    constexpr int words = Tile / kWord;
    __shared__ T sum[Tile];
    __shared__ unsigned written[words];
    __shared__ index_t beyond;
    __shared__ int found, taken;
    __shared__ unsigned long long base;
    const index_t row = first + static_cast<index_t>(blockIdx.x);
    const P begin = a_ptr[row], end = a_ptr[row + 1];
    const int thread = threadIdx.x, lane = thread % kWarp;
    if (begin == end) return;
    for (index_t next = 0; next != kNoColumn; next = beyond) {
        const std::int64_t tile = tile_of<Tile>(next);
        __syncthreads();  // all have read `beyond`
        for (int i = thread; i < Tile; i += Block) sum[i] = T{0};
        for (int i = thread; i < words; i += Block) written[i] = 0;
        if (thread == 0) beyond = kNoColumn, found = 0, taken = 0;
        __syncthreads();

        index_t nearest = kNoColumn;
        int fresh = 0;
        for (P k = begin + thread; k < end; k += Block) {
            const index_t inner = a_col[k];
            const T factor = a_values[k];
            const P b_end = b_ptr[inner + 1];
            for (P n = b_ptr[inner]; n < b_end; ++n) {
                const index_t j = b_col[n];
                const std::int64_t at = j - tile;
                if (at >= Tile) nearest = min(nearest, j);
                if (at < 0 || at >= Tile) continue;
                const unsigned bit = 1u << at % kWord;
                // Most products fall on a position already marked, and a read is cheaper.
                if (!(*const_cast<volatile unsigned*>(&written[at / kWord]) & bit))
                    fresh += !(atomicOr(&written[at / kWord], bit) & bit);
                atomicAdd(&sum[at], factor * b_values[n]);
            }
        }
        nearest = __reduce_min_sync(kFullMask, nearest);
        if (lane == 0 && nearest != kNoColumn) atomicMin(&beyond, nearest);
        if constexpr (How == WriteBack::counted) {
            fresh = __reduce_add_sync(kFullMask, fresh);
            if (lane == 0 && fresh) atomicAdd(&found, fresh);
        }
        __syncthreads();

        const auto marked = [&](int i) { return written[i / kWord] >> i % kWord & 1u; };
        if constexpr (How == WriteBack::each) {
            for (int i = thread; i < Tile; i += Block)
                if (marked(i))
                    put(c, atomicAdd(c.count, 1ull), row, static_cast<index_t>(tile + i), sum[i]);
        } else {
            if constexpr (How == WriteBack::batched) {
                for (int i = thread; i < Tile; i += Block)
                    if (marked(i)) atomicAdd(&found, 1);
                __syncthreads();
            }
            constexpr int mine = (words + Block - 1) / Block;  // neighbouring words of a thread
            __shared__ int offset[How == WriteBack::scanned ? words : 1];
            if constexpr (How == WriteBack::scanned) {
                using Scan = cub::BlockScan<int, Block>;
                __shared__ typename Scan::TempStorage scan;
                int count[mine], total;
#pragma unroll
                for (int i = 0; i < mine; ++i)
                    count[i] = thread * mine + i < words ? __popc(written[thread * mine + i]) : 0;
                Scan(scan).ExclusiveSum(count, count, total);
#pragma unroll
                for (int i = 0; i < mine; ++i)
                    if (thread * mine + i < words) offset[thread * mine + i] = count[i];
                if (thread == 0) found = total;
            }
            if (thread == 0) base = atomicAdd(c.count, static_cast<unsigned long long>(found));
            __syncthreads();
            if constexpr (How == WriteBack::batched) {
                for (int i = thread; i < Tile; i += Block)
                    if (marked(i))
                        put(c, base + atomicAdd(&taken, 1), row, static_cast<index_t>(tile + i),
                            sum[i]);
            } else {
                for (int w = thread / kWarp; w < words; w += Block / kWarp) {
                    const unsigned word = written[w];
                    if (word == 0) continue;
                    int place = 0;
                    if constexpr (How == WriteBack::scanned) {
                        place = offset[w];
                    } else {
                        if (lane == 0) place = atomicAdd(&taken, __popc(word));
                        place = __shfl_sync(kFullMask, place, 0);
                    }
                    if (word >> lane & 1u)
                        put(c, base + place + __popc(word & ((1u << lane) - 1)), row,
                            static_cast<index_t>(tile + w * kWord + lane), sum[w * kWord + lane]);
                }
            }
        }
    }
}

}  // namespace sptune::cuda
