// Where the blocks of each block row begin. Greedy: the next block begins at the first column not
// yet covered, so a block row is walked from left to right, by as many lanes as it has rows. Block
// rows of very many entries are cut at some columns first and their parts walked at the same time;
// that costs at most one more block for each cut.
#pragma once

#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/primitives.hpp"
#include "matrix/csr.hpp"
#include "matrix/partition_point.hpp"

#include <limits>

#include <cub/block/block_scan.cuh>

namespace sptune::cuda {

inline constexpr int kWalkThreads = 256;
/// Entries beyond which a block row gets a thread block.
inline constexpr int kLongEntries = 2048;

/// Block rows as a matrix is cut into them.
template <class P>
struct BlockRows {
    const P* row_ptr;
    const index_t* col_idx;
    index_t rows, cols, block_rows;
    int r, c;

    __device__ P begin(std::int64_t b) const { return row_ptr[b * r]; }
    __device__ P end(std::int64_t b) const {
        return row_ptr[b * r + r < rows ? b * r + r : std::int64_t{rows}];
    }
    __device__ bool is_long(std::int64_t b) const { return end(b) - begin(b) > kLongEntries; }
};

/// Groups of r lanes walk one block row each: this lane the entries [at, end) of its row. Calls
/// emit(number, first column) for every block, in the first lane of the group, and returns how many
/// there were, in all its lanes. All lanes of the warp take part.
template <class P, class Emit>
__device__ int walk_blocks(const BlockRows<P>& a, P at, P end, Emit emit) {
    constexpr index_t kNone = std::numeric_limits<index_t>::max();  // no column is as large
    const int lane = threadIdx.x % kWarp, place = lane % a.r, group = lane - place;
    const bool whole = group + a.r <= kWarp;
    int blocks = 0;
    index_t head = at < end ? a.col_idx[at] : kNone;
    while (true) {
        index_t low = head;
        for (int i = 1; i < a.r; ++i) {
            const int other = place + i < a.r ? place + i : place + i - a.r;
            low = min(low, __shfl_sync(kFullMask, head, group + other));
        }
        if (!whole) low = kNone;
        // Groups that are through wait for the others of their warp.
        if (!__any_sync(kFullMask, low != kNone)) return blocks;
        if (low != kNone) {
            // The last block must not reach beyond the columns: x is read for all of them.
            const index_t start = min(low, a.cols - a.c);
            if (place == 0) emit(blocks, start);
            ++blocks;
            while (head - start < a.c) {
                ++at;
                head = at < end ? a.col_idx[at] : kNone;
            }
        }
    }
}

/// count[b] = blocks of block row b; their first columns, unless `start` is null, from
/// start[begin(b)] on: there are at most as many as entries. Long block rows are only listed.
template <class P>
__global__ void __launch_bounds__(kWalkThreads)
    walk_short(BlockRows<P> a, std::int32_t* count, index_t* start, index_t* long_rows,
               unsigned* longs) {
    const int lane = threadIdx.x % kWarp, groups = kWarp / a.r, place = lane % a.r;
    const std::int64_t b = global_thread() / kWarp * groups + lane / a.r;
    P at = 0, end = 0, first = 0;
    bool mine = lane < groups * a.r && b < a.block_rows;
    if (mine && a.is_long(b)) {
        if (place == 0) long_rows[atomicAdd(longs, 1u)] = static_cast<index_t>(b);
        mine = false;
    }
    if (mine) {
        const std::int64_t row = b * a.r + place;
        first = a.begin(b);
        if (row < a.rows) at = a.row_ptr[row], end = a.row_ptr[row + 1];
    }
    const int blocks = walk_blocks(a, at, end, [&](int n, index_t column) {
        if (start) start[first + n] = column;
    });
    if (mine && place == 0) count[b] = blocks;
}

/// A thread block for each listed block row, a part of its columns for each group of lanes. The
/// longest row decides where to cut.
template <class P>
__global__ void __launch_bounds__(kWalkThreads)
    walk_long(BlockRows<P> a, std::int32_t* count, index_t* start, const index_t* long_rows) {
    using Scan = cub::BlockScan<int, kWalkThreads>;
    __shared__ typename Scan::TempStorage scratch;
    const std::int64_t b = long_rows[blockIdx.x];
    const int lane = threadIdx.x % kWarp, groups = kWarp / a.r, place = lane % a.r;
    const int parts = kWalkThreads / kWarp * groups;
    const int part = threadIdx.x / kWarp * groups + lane / a.r;
    const bool mine = lane < groups * a.r;
    P longest = 0, from = 0;
    for (std::int64_t row = b * a.r; row < a.rows && row < b * a.r + a.r; ++row) {
        const P length = a.row_ptr[row + 1] - a.row_ptr[row];
        if (length > longest) longest = length, from = a.row_ptr[row];
    }
    const std::int64_t row = b * a.r + place;
    P at = 0, end = 0;
    if (mine && row < a.rows) {
        const auto cut = [&](int p) {
            if (p == 0) return a.row_ptr[row];
            if (p == parts) return a.row_ptr[row + 1];
            const index_t column =
                a.col_idx[from + static_cast<P>(static_cast<std::int64_t>(longest) * p / parts)];
            return partition_point(a.row_ptr[row], a.row_ptr[row + 1],
                                   [=](P k) { return a.col_idx[k] < column; });
        };
        at = cut(part), end = cut(part + 1);
    }
    const int blocks = walk_blocks(a, at, end, [](int, index_t) {});
    int before = 0, all = 0;
    Scan(scratch).ExclusiveSum(mine && place == 0 ? blocks : 0, before, all);
    if (threadIdx.x == 0) count[b] = all;
    if (!start) return;
    const P first = a.begin(b) + before;
    walk_blocks(a, at, end, [&](int n, index_t column) { start[first + n] = column; });
}

/// The blocks of a matrix before they are laid out.
template <class P>
struct Walked {
    BlockRows<P> a;
    DeviceBuffer<std::int32_t> count;  ///< block rows + 1, the last unused
    DeviceBuffer<index_t> start;       ///< those of block row b from begin(b) on
    DeviceBuffer<index_t> long_rows;   ///< the first `longs` hold block rows, in any order
    unsigned longs = 0;
};

/// For sorted columns, at least c of them.
template <class T, class P>
Walked<P> walk(CsrView<T, P> a, int r, int c, bool want_starts) {
    const index_t block_rows = static_cast<index_t>((std::int64_t{a.rows} + r - 1) / r);
    Walked<P> w;
    w.a = {a.row_ptr, a.col_idx, a.rows, a.cols, block_rows, r, c};
    w.count = DeviceBuffer<std::int32_t>(static_cast<std::size_t>(block_rows) + 1);
    w.count.fill_bytes(0);
    const auto nnz = static_cast<std::size_t>(a.nnz());
    if (nnz == 0) return w;
    if (want_starts) w.start = DeviceBuffer<index_t>(nnz);
    w.long_rows = DeviceBuffer<index_t>(nnz / kLongEntries + 1);
    DeviceBuffer<unsigned> longs(1);
    longs.fill_bytes(0);
    walk_short<<<blocks_for(block_rows, kWalkThreads / kWarp * (kWarp / r)), kWalkThreads>>>(
        w.a, w.count.data(), w.start.data(), w.long_rows.data(), longs.data());
    SPTUNE_CUDA_LAUNCHED("walk_short");
    w.longs = longs.at(0);
    if (w.longs == 0) return w;
    walk_long<<<w.longs, kWalkThreads>>>(w.a, w.count.data(), w.start.data(), w.long_rows.data());
    SPTUNE_CUDA_LAUNCHED("walk_long");
    return w;
}

}  // namespace sptune::cuda
