// Which dense blocks the entries of a group would occupy, and how far its columns are apart.
#pragma once

#include "features/cuda/group_strips.cuh"
#include "features/cuda/group_table.cuh"

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

/// Adds the occupied blocks, the gaps between columns, and the diagonals that go on. Blocks of
/// threads take `part` of `parts` of it.
__device__ inline void visit_blocks(const index_t* col_idx, index_t cols, const Group& group,
                                    std::int64_t entry_limit, bool sorted, int part, int parts,
                                    Slot* own_slots, const GroupMemory& memory, Sums* sums) {
    __shared__ Numbering looked_at;
    __shared__ std::int64_t first_kept[kRows];  // where the entries that are looked at begin
    __shared__ unsigned kept[kRows], least[kRows], most[kRows];
    __shared__ unsigned blocks[kSides * kSides];
    __shared__ unsigned followed, continued;
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
            if (gaps && part == 0) {
                atomicAdd(&sums->gaps, gap);
                atomicAdd(&sums->gap_rows, static_cast<double>(gaps));
            }
        }
    }
    __syncthreads();
    const std::int64_t in_strip = kept[0];
    if (in_strip == 0) return;

    const LookedAt looked{looked_at, first_kept, strip};
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
    const double scale = static_cast<double>(entries) / static_cast<double>(in_strip);
    if (threadIdx.x < kSides * kSides)
        atomicAdd(&sums->blocks[0][0] + threadIdx.x,
                  scale * static_cast<double>(blocks[threadIdx.x]));
    if (threadIdx.x == 0) {
        if (part == 0) atomicAdd(&sums->block_entries, static_cast<double>(entries));
        atomicAdd(&sums->followed, scale * followed);
        atomicAdd(&sums->continued, scale * continued);
    }
}

}  // namespace sptune::cuda::groups
