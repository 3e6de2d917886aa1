// The columns of a group in a hash table: where they are few of many.
#pragma once

#include "features/cuda/group_counts.cuh"

#include <utility>

namespace sptune::cuda::groups {

/// Which columns may be there, without asking the table: one bit for all that are equal modulo
/// 32 · kWords. Most neighbours of a scattered entry are not.
struct ColumnFilter {
    static constexpr unsigned kWords = 512;
    unsigned words[kWords];

    __device__ void add(unsigned column) {
        atomicOr(&words[column / 32 % kWords], 1u << column % 32);
    }
    /// Bit c: column begin + c may be there.
    __device__ unsigned from(unsigned begin) const {
        const unsigned low = words[begin / 32 % kWords], high = words[(begin / 32 + 1) % kWords];
        return __funnelshift_r(low, high, begin % 32);
    }
};

/// Counts the block of kBlockSides[W] columns whose first occupied column is this one.
template <std::size_t W>
__device__ void add_width(const SlotTable& columns, const ColumnFilter& filter, unsigned column,
                          unsigned rows, Counted& counted) {
    constexpr auto width = static_cast<unsigned>(kBlockSides[W]);
    const unsigned own = column % width, begin = column - own;
    const unsigned near = filter.from(begin) & ((1u << width) - 1);
    for (unsigned left = near & ((1u << own) - 1); left; left &= left - 1)
        if (columns.find(begin + static_cast<unsigned>(__ffs(static_cast<int>(left))) - 1)) return;
    for (unsigned right = near >> own >> 1; right; right &= right - 1)
        rows |= columns.find(column + static_cast<unsigned>(__ffs(static_cast<int>(right))));
    counted.add_block<W>(rows);
}

template <std::size_t... W>
__device__ void add_column(const SlotTable& columns, const ColumnFilter& filter, unsigned column,
                           unsigned rows, Counted& counted, std::index_sequence<W...>) {
    (add_width<W>(columns, filter, column, rows, counted), ...);
}

/// `table` is meant for as many columns as come. Sets *overflow where they find no place.
__device__ inline void count_in_table(const index_t* col_idx, int rows, const LookedAt& entries,
                                      const SlotTable& table, Counted& counted,
                                      unsigned* overflow) {
    __shared__ ColumnFilter filter;
    for (unsigned w = threadIdx.x; w < ColumnFilter::kWords; w += threads()) filter.words[w] = 0;
    clear(table);
    entries.for_each(col_idx, rows, [&](int r, index_t c) {
        filter.add(static_cast<unsigned>(c));
        if (unsigned* const met = table.find_or_add(static_cast<unsigned>(c)))
            atomicOr(met, 1u << r);
        else
            *overflow = 1;
    });
    __syncthreads();
    const unsigned starts = followed_rows(rows);
    for (unsigned s = threadIdx.x; s < table.size(); s += threads()) {
        const Slot here = table.slots[s];
        if (here.key == 0) continue;
        add_column(table, filter, here.key - 1, here.value, counted,
                   std::make_index_sequence<kSides>{});
        if (static_cast<std::int64_t>(here.key) - 1 >= entries.edge) continue;
        const bool near = here.value & starts && filter.from(here.key) & 1;
        counted.follow(here.value, near ? table.find(here.key) : 0, starts);
    }
}

}  // namespace sptune::cuda::groups
