// The columns of a group side by side in shared memory, a narrow strip of them at a time: where
// they are many of those that there are.
#pragma once

#include "features/cuda/group_counts.cuh"

#include <utility>

namespace sptune::cuda::groups {

/// Columns of a strip, which cut no block; there is one more place, for the right neighbour of the
/// last.
constexpr std::int64_t kStripColumns = (1 << 13) / kBlockGroup * kBlockGroup;

constexpr std::int64_t strips_of(std::int64_t columns) {
    return (columns + kStripColumns - 1) / kStripColumns;
}

/// Counts the blocks of kBlockSides[W] columns.
template <std::size_t W>
__device__ void add_blocks(const unsigned* masks, int columns, Counted& counted) {
    constexpr int width = kBlockSides[W];
    for (int begin = static_cast<int>(threadIdx.x) * width; begin < columns;
         begin += threads() * width) {
        unsigned rows = 0;
#pragma unroll
        for (int c = 0; c < width; ++c)
            if (begin + c < columns) rows |= masks[begin + c];
        if (rows) counted.add_block<W>(rows);
    }
}

template <std::size_t... W>
__device__ void add_all_blocks(const unsigned* masks, int columns, Counted& counted,
                               std::index_sequence<W...>) {
    (add_blocks<W>(masks, columns, counted), ...);
}

/// The strips from number `from` to before number `to` of entries.strip, in `masks`, which has
/// kStripColumns + 1 places. Of sorted rows the entries of each are found by halving.
__device__ inline void count_in_strips(const index_t* col_idx, int rows, const LookedAt& entries,
                                       bool sorted, std::int64_t from, std::int64_t to,
                                       unsigned* masks, Counted& counted) {
    __shared__ Numbering inside;
    __shared__ std::int64_t first[kRows];
    const ColumnStrip& all = entries.strip;
    const unsigned starts = followed_rows(rows);
    for (std::int64_t n = from; n < to; ++n) {
        const std::int64_t low = all.low + n * kStripColumns;
        const std::int64_t end = min(low + kStripColumns, all.high);
        const ColumnStrip strip{low, min(end + 1, all.high)};
        __syncthreads();  // the strip before has been counted
        for (unsigned c = threadIdx.x; c <= kStripColumns; c += threads()) masks[c] = 0;
        if (sorted && threadIdx.x < kWarp) {
            const int r = static_cast<int>(threadIdx.x);
            std::int64_t begin = 0, last = 0;
            if (r < rows) {
                begin = entries.first[r];
                last = begin + entries.numbers.from[r + 1] - entries.numbers.from[r];
                begin = first_not_below(col_idx, begin, last, strip.low);
                last = first_not_below(col_idx, begin, last, strip.high);
                first[r] = begin;
            }
            inside.assign(last - begin);
        }
        __syncthreads();
        const LookedAt here = sorted
                                  ? LookedAt{inside, first, strip, entries.edge}
                                  : LookedAt{entries.numbers, entries.first, strip, entries.edge};
        here.for_each(col_idx, rows,
                      [&](int r, index_t c) { atomicOr(&masks[c - strip.low], 1u << r); });
        __syncthreads();
        const int columns = static_cast<int>(end - low);
        add_all_blocks(masks, columns, counted, std::make_index_sequence<kSides>{});
        for (int c = static_cast<int>(threadIdx.x); c < columns; c += threads())
            if (masks[c] && low + c < entries.edge) counted.follow(masks[c], masks[c + 1], starts);
    }
}

}  // namespace sptune::cuda::groups
