// Equal shares of a CSR matrix for every block, however long its rows: entries and ends of rows
// make one sequence (an entry of row i comes before the end of row i), which is cut into tiles.
#pragma once

#include "matrix/cuda/device.cuh"

#include <cstdint>

namespace sptune::cuda {

inline constexpr int kTileThreads = 256, kTileItems = 8;
inline constexpr int kTile = kTileThreads * kTileItems;

/// How many ends of rows lie among the first `items` of the sequence: no less than `low` and no
/// more than `high`. A warp tries 32 rows at once: five rounds for 2^25 of them.
template <class P>
__device__ index_t rows_ended(const P* row_ptr, std::int64_t low, std::int64_t high,
                              std::int64_t items) {
    const int lane = threadIdx.x % kWarp;
    while (low < high) {
        const std::int64_t stride = (high - low) / kWarp + 1;
        const std::int64_t i = low + (lane + 1) * stride - 1;
        const bool ended = i < high && row_ptr[i + 1] + i < items;
        low += __popc(__ballot_sync(kFullMask, ended)) * stride;
        high = high < low + stride - 1 ? high : low + stride - 1;
    }
    return static_cast<index_t>(low);
}

/// The entries of a tile, and the memory its threads share.
struct EntryTile {
    struct alignas(16) Shared {
        int row[kTile];  ///< where a row begins, how many rows after the first; else 0
        int last[kTileThreads / kWarp];
        index_t ended;
    };
    Shared& shared;
    index_t first_row = 0;   ///< row that the tile begins in
    index_t next_row = 0;    ///< that the next tile begins in
    index_t last_row = 0;    ///< that this tile may hold something of
    std::int64_t begin = 0;  ///< first entry
    int entries = 0;
    bool begins_row = false;  ///< the first entry is the first of its row

    /// The row that the tile of this number begins in; all threads of the block take part.
    template <class P>
    __device__ static index_t row_of(const P* row_ptr, index_t rows, std::int64_t number,
                                     Shared& memory) {
        const std::int64_t items = number * kTile;
        if (threadIdx.x < kWarp) {
            const index_t ended = rows_ended(row_ptr, 0, items < rows ? items : rows, items);
            if (threadIdx.x == 0) memory.ended = ended;
        }
        __syncthreads();
        return memory.ended;
    }

    /// The tile of this number, which begins in this row; all threads of the block take part.
    template <class P>
    __device__ EntryTile(const P* row_ptr, index_t rows, std::int64_t nnz, std::int64_t number,
                         index_t row, Shared& memory)
        : shared(memory), first_row(row) {
        const std::int64_t items = rows + nnz;
        const std::int64_t first = number * kTile;
        const std::int64_t last = first + kTile < items ? first + kTile : items;
        __syncthreads();  // the last tile may still be in use
        for (int j = threadIdx.x; j < kTile / 4; j += kTileThreads)
            reinterpret_cast<int4*>(shared.row)[j] = int4{0, 0, 0, 0};
        if (threadIdx.x < kWarp) {
            const std::int64_t most = std::int64_t{first_row} + (last - first);
            const index_t ended = rows_ended(row_ptr, first_row, most < rows ? most : rows, last);
            if (threadIdx.x == 0) shared.ended = ended;
        }
        __syncthreads();
        next_row = shared.ended;
        last_row = min(next_row, rows - 1);
        begin = first - first_row;
        entries = static_cast<int>(last - next_row - begin);
        begins_row = entries > 0 && row_ptr[first_row] == begin;
        // Of rows that begin at the same place all but the last are empty.
        for (std::int64_t i = std::int64_t{first_row} + 1 + threadIdx.x; i <= last_row;
             i += kTileThreads) {
            const std::int64_t at = row_ptr[i] - begin;
            if (at < entries) atomicMax(&shared.row[at], static_cast<int>(i - first_row));
        }
        __syncthreads();
    }

    /// Calls visit(i, k) for each row i that begins in the tile, at entry k, unless it is empty.
    template <class P, class Visit>
    __device__ void for_each_row(const P* row_ptr, Visit visit) const {
        for (std::int64_t i = std::int64_t{first_row} + threadIdx.x; i <= last_row;
             i += kTileThreads) {
            const P k = row_ptr[i];
            if (k >= begin && k < begin + entries && k < row_ptr[i + 1]) visit(i, k);
        }
    }

    /// Calls visit(j, k, row, column, begins, before) for every entry k, which a thread visits in
    /// order, as the j-th of kTileItems places; `begins`: it is the first of its row; `before`: the
    /// column of entry k - 1. All threads of the block take part.
    template <class Visit>
    __device__ void for_each(const index_t* col_idx, Visit visit) const {
        const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
        const int first = static_cast<int>(threadIdx.x) * kTileItems;
        index_t column[kTileItems];
        int begun[kTileItems];
        const std::int64_t previous = begin + first - 1;
        index_t before = first < entries && previous >= 0 ? col_idx[previous] : 0;
#pragma unroll
        for (int j = 0; j < kTileItems; ++j)
            column[j] = first + j < entries ? col_idx[begin + first + j] : 0;
#pragma unroll
        for (int j = 0; j < kTileItems; j += 4)
            *reinterpret_cast<int4*>(begun + j) =
                *reinterpret_cast<const int4*>(shared.row + first + j);
        // The row that a thread comes into is the last one begun before it.
        int latest = 0;
#pragma unroll
        for (int j = 0; j < kTileItems; ++j) latest = max(latest, begun[j]);
#pragma unroll
        for (int offset = 1; offset < kWarp; offset *= 2) {
            const int left = __shfl_up_sync(kFullMask, latest, offset);
            if (lane >= offset) latest = max(latest, left);
        }
        if (lane == kWarp - 1) shared.last[warp] = latest;
        int row = __shfl_up_sync(kFullMask, latest, 1);
        if (lane == 0) row = 0;
        __syncthreads();
        for (int w = 0; w < warp; ++w) row = max(row, shared.last[w]);
#pragma unroll
        for (int j = 0; j < kTileItems; ++j) {
            const bool begins = begun[j] != 0 || (first + j == 0 && begins_row);
            row = max(row, begun[j]);
            if (first + j < entries)
                visit(j, begin + first + j, first_row + row, column[j], begins, before);
            before = column[j];
        }
    }
};

/// How many tiles there are.
constexpr std::int64_t tiles_of(std::int64_t rows, std::int64_t nnz) {
    return (rows + nnz + kTile - 1) / kTile;
}

}  // namespace sptune::cuda
