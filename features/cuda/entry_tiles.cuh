// Equal shares of a CSR matrix for every block, however long its rows: entries and ends of rows
// make one sequence (an entry of row i comes before the end of row i), which is cut into tiles.
#pragma once

#include "matrix/cuda/device.cuh"

namespace sptune::cuda {

inline constexpr int kTileThreads = 256, kTileItems = 8;
inline constexpr int kTile = kTileThreads * kTileItems;

/// How many ends of rows lie among the first `items` of the sequence. A warp tries 32 rows at once:
/// five rounds for 2^25 of them.
template <class P>
__device__ index_t rows_ended(const P* row_ptr, index_t rows, std::int64_t nnz,
                              std::int64_t items) {
    const int lane = threadIdx.x % kWarp;
    std::int64_t low = items > nnz ? items - nnz : 0, high = items < rows ? items : rows;
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
    struct Shared {
        int row[kTile];  ///< where a row begins, how many rows after the first; else 0
        int last[kTileThreads / kWarp];
        index_t ended[2];
    };
    Shared& shared;
    index_t first_row = 0;   ///< row of the first entry
    std::int64_t begin = 0;  ///< first entry
    int entries = 0;
    bool begins_row = false;  ///< the first entry is the first of its row

    /// The tile of this block; all of its threads take part.
    template <class P>
    __device__ EntryTile(const P* row_ptr, index_t rows, std::int64_t nnz, Shared& memory)
        : shared(memory) {
        const std::int64_t items = rows + nnz;
        const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kTile;
        const std::int64_t last = first + kTile < items ? first + kTile : items;
        for (int j = threadIdx.x; j < kTile; j += kTileThreads) shared.row[j] = 0;
        const int warp = threadIdx.x / kWarp;
        if (warp < 2) {
            const index_t ended = rows_ended(row_ptr, rows, nnz, warp == 0 ? first : last);
            if (threadIdx.x % kWarp == 0) shared.ended[warp] = ended;
        }
        __syncthreads();
        first_row = shared.ended[0];
        const index_t last_row = shared.ended[1];
        begin = first - first_row;
        entries = static_cast<int>(last - last_row - begin);
        begins_row = entries > 0 && row_ptr[first_row] == begin;
        // Of rows that begin at the same place all but the last are empty.
        for (std::int64_t i = std::int64_t{first_row} + 1 + threadIdx.x; i <= last_row && i < rows;
             i += kTileThreads) {
            const std::int64_t at = row_ptr[i] - begin;
            if (at < entries) atomicMax(&shared.row[at], static_cast<int>(i - first_row));
        }
        __syncthreads();
    }

    /// Calls visit(k, row, column, begins, before) for every entry k; `begins`: it is the first of
    /// its row; `before`: the column of entry k - 1. All threads of the block take part.
    template <class Visit>
    __device__ void for_each(const index_t* col_idx, Visit visit) const {
        const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
        const int base = warp * kWarp * kTileItems;
        int begun[kTileItems];
        index_t column[kTileItems];
        int latest = 0;
#pragma unroll
        for (int j = 0; j < kTileItems; ++j) {
            const int at = base + j * kWarp + lane;
            column[j] = at < entries ? col_idx[begin + at] : 0;
            begun[j] = shared.row[at];
            latest = max(latest, begun[j]);
        }
        // The row that each warp comes into is the last one begun before it.
        for (int offset = kWarp / 2; offset > 0; offset /= 2)
            latest = max(latest, __shfl_xor_sync(kFullMask, latest, offset));
        if (lane == 0) shared.last[warp] = latest;
        __syncthreads();
        int current = 0;
        for (int w = 0; w < warp; ++w) current = max(current, shared.last[w]);
        const std::int64_t previous = begin + base - 1;
        index_t last_column = base < entries && previous >= 0 ? col_idx[previous] : 0;
#pragma unroll
        for (int j = 0; j < kTileItems; ++j) {
            const int at = base + j * kWarp + lane;
            const unsigned begins = __ballot_sync(kFullMask, begun[j] != 0);
            const unsigned until_here = begins & kFullMask >> (kWarp - 1 - lane);
            const int from = until_here ? kWarp - 1 - __clz(static_cast<int>(until_here)) : 0;
            const int shared_row = __shfl_sync(kFullMask, begun[j], from);
            const int row = until_here ? shared_row : current;
            current = __shfl_sync(kFullMask, row, kWarp - 1);
            const index_t left = __shfl_up_sync(kFullMask, column[j], 1);
            const index_t before = lane == 0 ? last_column : left;
            last_column = __shfl_sync(kFullMask, column[j], kWarp - 1);
            if (at < entries)
                visit(begin + at, first_row + row, column[j],
                      begun[j] != 0 || (at == 0 && begins_row), before);
        }
    }
};

/// Blocks that the tiles of a matrix take.
inline unsigned tiles_of(std::int64_t rows, std::int64_t nnz) {
    return static_cast<unsigned>((rows + nnz + kTile - 1) / kTile);
}

}  // namespace sptune::cuda
