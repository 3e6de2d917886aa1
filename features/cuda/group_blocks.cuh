// Which dense blocks the entries of a group would occupy, and how far its columns are apart.
#pragma once

#include "features/cuda/group.cuh"
#include "features/cuda/sample.hpp"

#include <utility>

namespace sptune::cuda::groups {

/// How many blocks of `Height` rows a column with these rows touches.
template <int Height>
__device__ unsigned blocks_of(unsigned rows) {
    constexpr unsigned firsts = [] {
        unsigned bits = 0;
        for (int r = 0; r < kRows; r += Height) bits |= 1u << r;
        return bits;
    }();
    unsigned any = rows;
#pragma unroll
    for (int r = 1; r < Height; ++r) any |= rows >> r;
    return static_cast<unsigned>(__popc(any & firsts));
}

using Counts = unsigned[kSides][kSides];

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

/// Counts the blocks of kBlockSides[W] columns whose first occupied column is this one.
template <std::size_t W, std::size_t... H>
__device__ void add_width(const SlotTable& columns, const ColumnFilter& filter, unsigned column,
                          unsigned rows, Counts& counts, std::index_sequence<H...>) {
    constexpr auto width = static_cast<unsigned>(kBlockSides[W]);
    const unsigned own = column % width, begin = column - own;
    const unsigned near = filter.from(begin) & ((1u << width) - 1);
    for (unsigned left = near & ((1u << own) - 1); left; left &= left - 1)
        if (columns.find(begin + static_cast<unsigned>(__ffs(static_cast<int>(left))) - 1)) return;
    for (unsigned right = near >> own >> 1; right; right &= right - 1)
        rows |= columns.find(column + static_cast<unsigned>(__ffs(static_cast<int>(right))));
    ((counts[W][H] += blocks_of<kBlockSides[H]>(rows)), ...);
}

template <std::size_t... W>
__device__ void add_column(const SlotTable& columns, const ColumnFilter& filter, unsigned column,
                           unsigned rows, Counts& counts, std::index_sequence<W...> sides) {
    (add_width<W>(columns, filter, column, rows, counts, sides), ...);
}

/// The rows of a group whose diagonals are followed, a bit each.
__device__ inline unsigned followed_rows(int rows) {
    unsigned bits = 0;
#pragma unroll
    for (int r = 0; r < kRows; ++r)
        if (follows_diagonals(r, rows)) bits |= 1u << r;
    return bits;
}

/// Adds the occupied blocks, the gaps between columns, and the diagonals that go on.
__device__ inline void visit_blocks(const index_t* col_idx, index_t cols, const Group& group,
                                    std::int64_t entry_limit, bool sorted, Slot* own_slots,
                                    const GroupMemory& memory, Sums* sums) {
    __shared__ Numbering looked_at;
    __shared__ std::int64_t first_kept[kRows];  // where the entries that are looked at begin
    __shared__ unsigned kept[kRows], least[kRows], most[kRows];
    __shared__ unsigned blocks[kSides * kSides];
    __shared__ unsigned followed, continued;
    __shared__ ColumnFilter filter;
    __shared__ count_t offset;
    const int lane = threadIdx.x % kWarp;
    const std::int64_t entries = group.entries();
    const bool thin = entries > entry_limit;
    ColumnStrip strip{0, cols};
    if (thin) strip = strip_of_group(group.first, entries, entry_limit, cols);

    // What is looked at: of sorted rows a piece each, of others those of all entries that lie in
    // the strip.
    if (threadIdx.x < kSides * kSides) blocks[threadIdx.x] = 0;
    if (threadIdx.x == 0) followed = continued = 0;
    for (unsigned w = threadIdx.x; w < ColumnFilter::kWords; w += threads()) filter.words[w] = 0;
    if (threadIdx.x < kRows) {
        kept[threadIdx.x] = most[threadIdx.x] = 0;
        least[threadIdx.x] = kFullMask;
    }
    __syncthreads();
    if (!sorted)
        for (std::int64_t k = group.begin() + threadIdx.x; k < group.end(); k += threads()) {
            const index_t c = col_idx[k];
            if (c < strip.low || c >= strip.high) continue;
            const int r = group.stored.row(k, group.rows);
            atomicAdd(&kept[r], 1u);
            atomicMin(&least[r], static_cast<unsigned>(c));
            atomicMax(&most[r], static_cast<unsigned>(c));
        }
    __syncthreads();
    if (threadIdx.x < kWarp) {
        std::int64_t from = 0, to = 0, size = 0;
        double gap = 0;
        if (lane < group.rows) {
            from = group.stored.from[lane];
            to = group.stored.from[lane + 1];
            if (sorted && thin) {
                from = first_not_below(col_idx, from, to, strip.low);
                to = first_not_below(col_idx, from, to, strip.high);
            }
            first_kept[lane] = from;
            size = sorted ? to - from : kept[lane];
            if (size >= 2) {
                const index_t low = sorted ? col_idx[from] : static_cast<index_t>(least[lane]);
                const index_t high = sorted ? col_idx[to - 1] : static_cast<index_t>(most[lane]);
                gap = static_cast<double>(high - low) / static_cast<double>(size - 1);
            }
        }
        looked_at.assign(to - from);
        gap = group_sum<kWarp>(gap);
        const int gaps = __popc(__ballot_sync(kFullMask, size >= 2));
        size = group_sum<kWarp>(size);
        if (lane == 0) {
            kept[0] = static_cast<unsigned>(size);
            if (gaps) {
                atomicAdd(&sums->gaps, gap);
                atomicAdd(&sums->gap_rows, static_cast<double>(gaps));
            }
        }
    }
    __syncthreads();
    const std::int64_t in_strip = kept[0], visited = looked_at.from[group.rows];
    if (in_strip == 0) return;

    SlotTable table = table_for(in_strip, own_slots);
    if (table.log2 > kOwnLog2) {
        const count_t size = count_t{1} << table.log2;
        if (threadIdx.x == 0) offset = atomicAdd(&sums->slots_taken, size);
        __syncthreads();
        if (table.log2 > 31 || offset + size > memory.spare_slots) {
            if (threadIdx.x == 0) sums->overflow = 1;
            return;
        }
        table.slots = memory.spare + offset;
    }
    clear(table);
    for (std::int64_t n = threadIdx.x; n < visited; n += threads()) {
        const int r = looked_at.row(n, group.rows);
        const index_t c = col_idx[first_kept[r] + n - looked_at.from[r]];
        if (c < strip.low || c >= strip.high) continue;
        filter.add(static_cast<unsigned>(c));
        if (unsigned* const met = table.find_or_add(static_cast<unsigned>(c)))
            atomicOr(met, 1u << r);
        else
            sums->overflow = 1;
    }
    __syncthreads();
    constexpr auto sides = std::make_index_sequence<kSides>{};
    Counts counts{};
    const unsigned starts = followed_rows(group.rows);
    unsigned from = 0, on = 0;
    for (unsigned s = threadIdx.x; s < table.size(); s += threads()) {
        const Slot here = table.slots[s];
        if (here.key == 0) continue;
        add_column(table, filter, here.key - 1, here.value, counts, sides);
        const unsigned own = here.value & starts;
        from += static_cast<unsigned>(__popc(own));
        if (own && filter.from(here.key) & 1)
            on += static_cast<unsigned>(__popc(own & table.find(here.key) >> 1));
    }
    from = __reduce_add_sync(kFullMask, from);
    on = __reduce_add_sync(kFullMask, on);
    if (lane == 0) {
        atomicAdd(&followed, from);
        atomicAdd(&continued, on);
    }
#pragma unroll
    for (int w = 0; w < kSides; ++w)
#pragma unroll
        for (int h = 0; h < kSides; ++h) {
            const unsigned sum = __reduce_add_sync(kFullMask, counts[w][h]);
            if (lane == 0) atomicAdd(&blocks[w * kSides + h], sum);
        }
    __syncthreads();
    const double scale = static_cast<double>(entries) / static_cast<double>(in_strip);
    if (threadIdx.x < kSides * kSides)
        atomicAdd(&sums->blocks[0][0] + threadIdx.x,
                  scale * static_cast<double>(blocks[threadIdx.x]));
    if (threadIdx.x == 0) {
        atomicAdd(&sums->block_entries, static_cast<double>(entries));
        atomicAdd(&sums->followed, scale * followed);
        atomicAdd(&sums->continued, scale * continued);
    }
}

}  // namespace sptune::cuda::groups
