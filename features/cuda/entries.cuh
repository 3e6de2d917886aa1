// What is summed over all entries.
#pragma once

#include "features/cuda/entry_tiles.cuh"
#include "features/cuda/sums.hpp"
#include "features/fingerprint.hpp"
#include "matrix/csr.hpp"

#include <type_traits>

namespace sptune::cuda::entries {

constexpr unsigned kNone = ~0u;

/// Marks of a block in shared memory, some words of 32 diagonals: most entries meet diagonals near
/// each other, or the same ones again, and if all of them went to global memory, those of all
/// blocks would queue up at a few words there.
struct OwnMarks {
    static constexpr int kWords = 1024;
    unsigned word[kWords], bits[kWords];

    __device__ void clear() {
        for (int i = threadIdx.x; i < kWords; i += kTileThreads) word[i] = kNone, bits[i] = 0;
    }
    /// Whether there was a place for it.
    __device__ bool mark(unsigned diagonal) {
        const unsigned wanted = diagonal / 32, bit = 1u << diagonal % 32;
        const unsigned at = (wanted * 0x9e3779b1u) >> 22;
        unsigned here = word[at];
        if (here == kNone) {
            here = atomicCAS(&word[at], kNone, wanted);
            if (here == kNone) here = wanted;
        }
        if (here != wanted) return false;
        if (!(bits[at] & bit)) atomicOr(&bits[at], bit);
        return true;
    }
    /// All threads of the block take part.
    __device__ void write(unsigned* occupied) {
        __syncthreads();
        for (int i = threadIdx.x; i < kWords; i += kTileThreads)
            if (bits[i] & ~__ldcg(occupied + (bits[i] ? word[i] : 0)))
                atomicOr(occupied + word[i], bits[i]);
    }
};

/// Marks those that are not kNone: of what has no place in `own` words are read all at once, since
/// each takes a while to come.
__device__ inline void mark(const unsigned (&diagonals)[kTileItems], OwnMarks& own,
                            unsigned* occupied) {
    unsigned words[kTileItems];
#pragma unroll
    for (int j = 0; j < kTileItems; ++j) {
        const bool done = diagonals[j] == kNone || own.mark(diagonals[j]);
        // Not from the first-level cache, which would go on saying no. Reading is cheaper than
        // atomics.
        words[j] = done ? ~0u : __ldcg(occupied + diagonals[j] / 32);
    }
#pragma unroll
    for (int j = 0; j < kTileItems; ++j) {
        const unsigned bit = 1u << diagonals[j] % 32;
        if (!(words[j] & bit)) atomicOr(occupied + diagonals[j] / 32, bit);
    }
}

/// Whether a value of the tile has other bits than the first one of all.
template <class T>
__device__ bool varied(const T* values, const EntryTile& tile) {
    using Bits = std::conditional_t<sizeof(T) == 4, unsigned, count_t>;
    const Bits* const bits = reinterpret_cast<const Bits*>(values);
    const Bits first = bits[0];
    bool found = false;
#pragma unroll
    for (int j = 0; j < kTileItems; ++j) {
        const int at = j * kTileThreads + threadIdx.x;
        if (at < tile.entries) found |= stream_load(bits + tile.begin + at) != first;
    }
    return found;
}

/// Block number `block` of `blocks`, which has kTileThreads, takes tiles that follow each other,
/// and adds up at its end. Sets bit d of `occupied` (all clear before) where an entry has column -
/// row + rows - 1 = d. profile, first_moves and first_pairs take the first column of each row as
/// its smallest, which holds unless `unsorted` comes out.
template <class T, class P>
__device__ void visit_entries(const CsrView<T, P>& a, std::int64_t nnz, unsigned block,
                              unsigned blocks, unsigned* occupied, Sums* sums) {
    __shared__ EntryTile::Shared memory;
    __shared__ OwnMarks own_marks;
    __shared__ count_t scratch[5][kTileThreads / kWarp];
    __shared__ unsigned past_highest, past_lowest;
    if (threadIdx.x == 0) past_highest = past_lowest = 0;
    own_marks.clear();

    count_t hash = 0, distance = 0, profile = 0, moves = 0, pairs = 0;
    unsigned highest = 0, lowest = 0;
    bool unsorted = false;
    const std::int64_t tiles = tiles_of(a.rows, nnz);
    const std::int64_t end = tiles * (block + 1) / blocks;
    std::int64_t number = tiles * block / blocks;
    index_t next_row = EntryTile::row_of(a.row_ptr, a.rows, number, memory);
    for (; number < end; ++number) {
        const EntryTile tile(a.row_ptr, a.rows, nnz, number, next_row, memory);
        next_row = tile.next_row;
        if (tile.entries == 0) continue;
        unsigned diagonals[kTileItems];
#pragma unroll
        for (unsigned& diagonal : diagonals) diagonal = kNone;
        tile.for_each(a.col_idx, [&](int j, std::int64_t k, index_t row, index_t column,
                                     bool begins, index_t before) {
            hash += column_term(column, static_cast<std::uint64_t>(k + 1) * kColumnStep);
            const index_t diagonal = column - row;
            distance += static_cast<unsigned>(abs(diagonal));
            highest = max(highest, static_cast<unsigned>(diagonal) + static_cast<unsigned>(a.rows));
            lowest = max(lowest, static_cast<unsigned>(a.cols) - static_cast<unsigned>(diagonal));
            unsorted |= !begins && column < before;
            diagonals[j] = static_cast<unsigned>(diagonal) + static_cast<unsigned>(a.rows) - 1;
        });
        mark(diagonals, own_marks, occupied);
        tile.for_each_row(a.row_ptr, [&](std::int64_t i, P k) {
            const index_t column = a.col_idx[k];
            profile += static_cast<count_t>(max(std::int64_t{0}, i - column));
            if (i == 0) return;
            const P previous = a.row_ptr[i - 1];
            if (previous == k) return;  // the row before is empty
            moves += static_cast<unsigned>(abs(column - a.col_idx[previous]));
            ++pairs;
        });
        // Matrices that are not constant show it early, and most tiles' values need not be read.
        if (!__ldcg(&sums->varied) && varied(a.values, tile)) sums->varied = 1;
    }

    own_marks.write(occupied);
    highest = __reduce_max_sync(kFullMask, highest);
    lowest = __reduce_max_sync(kFullMask, lowest);
    if (threadIdx.x % kWarp == 0) {
        atomicMax(&past_highest, highest);
        atomicMax(&past_lowest, lowest);
    }
    if (__syncthreads_or(unsorted) && threadIdx.x == 0) sums->unsorted = 1;
    hash = block_sum<kTileThreads>(hash, scratch[0]);
    distance = block_sum<kTileThreads>(distance, scratch[1]);
    profile = block_sum<kTileThreads>(profile, scratch[2]);
    moves = block_sum<kTileThreads>(moves, scratch[3]);
    pairs = block_sum<kTileThreads>(pairs, scratch[4]);
    if (threadIdx.x == 0) {
        atomicAdd(&sums->hash, hash);
        atomicAdd(&sums->distance_low, distance & 0xffffffffu);
        atomicAdd(&sums->distance_high, distance >> 32);
        atomicAdd(&sums->profile, profile);
        atomicAdd(&sums->first_moves, moves);
        atomicAdd(&sums->first_pairs, pairs);
        atomicMax(&sums->past_highest, past_highest);
        atomicMax(&sums->past_lowest, past_lowest);
    }
}

}  // namespace sptune::cuda::entries
