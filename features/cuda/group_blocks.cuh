// Which dense blocks the entries of a tile would occupy, and which diagonals go on.
#pragma once

#include "features/cuda/group_strips.cuh"
#include "features/cuda/group_table.cuh"
#include "features/cuda/group_tile.cuh"

#include <limits>

namespace sptune::cuda::groups {

/// Blocks of threads that share the strips of a group, at most.
constexpr int kStripParts = 8;

/// Whether `parts` blocks of threads count these sooner in strips. Those take a while for each
/// column; tables take one for each entry, a long one when they are not in shared memory.
__device__ inline bool strips_pay(std::int64_t entries, std::int64_t columns, int parts) {
    constexpr std::int64_t kEntriesAStrip = 256;
    const bool shared = 2 * entries <= 1 << kOwnLog2;
    return shared ? columns <= 8 * entries
                  : strips_of(columns) <= parts * (entries / kEntriesAStrip);
}

/// Adds the occupied blocks and the diagonals that go on. Blocks of threads take `part` of `parts`
/// of it.
__device__ inline void visit_blocks(const index_t* col_idx, index_t cols, const Group& group,
                                    const Tile& tile, std::int64_t entry_limit, bool sorted,
                                    int part, int parts, Slot* own_slots, const GroupMemory& memory,
                                    Sums* sums) {
    __shared__ Numbering looked_at;
    __shared__ std::int64_t first_kept[kRows];  // where the entries that are looked at begin
    __shared__ unsigned kept[kRows];
    __shared__ unsigned blocks[kSides * kSides];
    __shared__ unsigned followed, continued;
    __shared__ count_t offset;
    const int lane = threadIdx.x % kWarp;
    __shared__ ColumnStrip strip;
    __shared__ bool cut;

    // What is looked at: of sorted rows a piece each, of others those of all entries that lie in
    // the strip.
    if (threadIdx.x < kSides * kSides) blocks[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
        followed = continued = 0;
        strip = {0, cols};
        cut = !sorted && group.entries() > entry_limit && may_be_cut(strip);
        if (cut) strip = strip_of_column(tile.column, group.entries(), entry_limit, strip);
    }
    if (threadIdx.x < kRows) kept[threadIdx.x] = 0;
    __syncthreads();
    if (!sorted)
        for (std::int64_t k = group.begin() + threadIdx.x; k < group.end(); k += threads()) {
            const index_t c = col_idx[k];
            if (c < strip.low || c >= strip.high) continue;
            atomicAdd(&kept[group.stored.row(k, group.rows)], 1u);
        }
    __syncthreads();
    if (threadIdx.x < kWarp) {
        std::int64_t from = 0, to = 0, size = 0;
        if (lane < group.rows) {
            from = group.stored.from[lane];
            to = group.stored.from[lane + 1];
            size = sorted ? to - from : kept[lane];
        }
        size = group_sum<kWarp>(size);
        if (sorted) {
            const bool any = from < to;
            const auto least =
                __reduce_min_sync(kFullMask, any ? static_cast<unsigned>(col_idx[from]) : ~0u);
            const auto most =
                __reduce_max_sync(kFullMask, any ? static_cast<unsigned>(col_idx[to - 1]) : 0u);
            ColumnStrip here{least / kBlockGroup * kBlockGroup, std::int64_t{most} + 1};
            bool again = false;
            for (; size > entry_limit && may_be_cut(here); again = true) {
                here = strip_of_column(tile.column, size, entry_limit, here);
                from = first_not_below(col_idx, from, to, here.low);
                to = first_not_below(col_idx, from, to, here.high);
                size = group_sum<kWarp>(to - from);
            }
            if (lane == 0) strip = here, cut = again;
        }
        if (lane < group.rows) first_kept[lane] = from;
        looked_at.assign(to - from);
        if (lane == 0) kept[0] = static_cast<unsigned>(size);
    }
    __syncthreads();
    const std::int64_t in_strip = kept[0];
    if (in_strip == 0) return;

    const LookedAt looked{looked_at, first_kept, strip,
                          cut ? strip.high - 1 : std::numeric_limits<std::int64_t>::max()};
    const std::int64_t columns = strip.high - strip.low;
    Counted counted;
    if (strips_pay(in_strip, columns, parts)) {
        static_assert((kStripColumns + 1) * sizeof(unsigned) <= sizeof(Slot) << kOwnLog2);
        const std::int64_t strips = strips_of(columns), busy = min(strips, std::int64_t{parts});
        if (part >= busy) return;
        count_in_strips(col_idx, group.rows, looked, sorted, strips * part / busy,
                        strips * (part + 1) / busy, reinterpret_cast<unsigned*>(own_slots),
                        counted);
    } else {
        if (part > 0) return;
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
        count_in_table(col_idx, group.rows, looked, table, counted, &sums->overflow);
    }
    counted.followed = __reduce_add_sync(kFullMask, counted.followed);
    counted.continued = __reduce_add_sync(kFullMask, counted.continued);
    if (lane == 0) {
        atomicAdd(&followed, counted.followed);
        atomicAdd(&continued, counted.continued);
    }
#pragma unroll
    for (int w = 0; w < kSides; ++w)
#pragma unroll
        for (int h = 0; h < kSides; ++h) {
            const unsigned sum = __reduce_add_sync(kFullMask, counted.blocks[w][h]);
            if (lane == 0) atomicAdd(&blocks[w * kSides + h], sum);
        }
    __syncthreads();
    const double weight = static_cast<double>(tile.draws) / static_cast<double>(in_strip);
    if (threadIdx.x < kSides * kSides)
        atomicAdd(&sums->blocks[0][0] + threadIdx.x,
                  weight * static_cast<double>(blocks[threadIdx.x]));
    if (threadIdx.x == 0) {
        if (part == 0) atomicAdd(&sums->block_entries, static_cast<double>(tile.draws));
        atomicAdd(&sums->followed, weight * followed);
        atomicAdd(&sums->continued, weight * continued);
    }
}

}  // namespace sptune::cuda::groups
