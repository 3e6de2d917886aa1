// A row of C accumulated in a hash table in shared memory; its columns are sorted afterwards.
#pragma once

#include "kernels/spgemm/hash/bitmap_rows.cuh"

namespace sptune::cuda::hash {

/// Sorts `size` numbers (a power of two) in shared memory, rising: bitonic.
template <class Team>
__device__ void sort_shared(const Team& team, unsigned long long* item, int size) {
    for (int whole = 2; whole <= size; whole *= 2) {
        for (int far = whole / 2; far > 0; far /= 2) {
            for (int i = team.thread(); i < size / 2; i += team.size()) {
                const int low = 2 * i - (i & (far - 1)), high = low | far;
                const unsigned long long a = item[low], b = item[high];
                if ((a > b) == ((low & whole) == 0)) {
                    item[low] = b;
                    item[high] = a;
                }
            }
            team.sync();
        }
    }
}

/// For rows of at most hash_products(hash_slots(bytes, sizeof(T))) products.
template <Mode mode, class Team, class T, class P>
__device__ void hash_row(Team& team, const Job<T, P>& job, const Row<P>& r, char* memory) {
    constexpr unsigned kFree = 0xffffffffu;
    // A power of two that the products fill by three quarters at most.
    const int slots = max(2 << (31 - __clz(max(r.products + r.products / 3, 3u) - 1)), 32);
    const unsigned mask = static_cast<unsigned>(slots) - 1;
    auto* const pairs = reinterpret_cast<unsigned long long*>(memory);
    T* const sums = reinterpret_cast<T*>(memory + 8 * slots);
    auto* const keys = reinterpret_cast<unsigned*>(memory + (8 + sizeof(T)) * slots);
    fill(team, keys, 4 * slots, kFree);
    if constexpr (mode != Mode::count) fill(team, sums, static_cast<int>(sizeof(T)) * slots, 0);
    team.sync();
    unsigned found = 0;
    for_products<mode != Mode::count>(
        team, job.a, job.b, r.begin, r.end, r.shift, Everywhere(), [&](index_t c, T product) {
            const auto key = static_cast<unsigned>(c);
            unsigned slot = key * 0x9e3779b1u >> 7 & mask;
            for (;; slot = (slot + 1) & mask) {
                const unsigned there = *static_cast<volatile unsigned*>(keys + slot);
                if (there == key) break;
                if (there != kFree) continue;
                const unsigned old = atomicCAS(keys + slot, kFree, key);
                if (old == kFree) ++found;
                if (old == kFree || old == key) break;
            }
            if (mode != Mode::count) atomicAdd(sums + slot, product);
        });
    __syncwarp();
    const unsigned total = team_sum(team, found);
    const long long at = settle<mode>(team, job, r.row, total);  // with a barrier
    if (mode == Mode::count || at < 0) {
        team.sync();
        return;
    }
    // The occupied slots side by side; their order among warps does not matter yet.
    unsigned run = 0;
    if constexpr (!Team::one_warp) {
        if (threadIdx.x == 0) team.scratch()[0] = 0;
        team.sync();
    }
    const int lane = threadIdx.x % kWarp;
    for (int s = team.warp() * kWarp; s < slots; s += team.size()) {
        const unsigned key = keys[s + lane];
        const unsigned taken = __ballot_sync(kFullMask, key != kFree);
        unsigned to = run;
        if constexpr (!Team::one_warp) {
            if (lane == 0) to = atomicAdd(team.scratch(), static_cast<unsigned>(__popc(taken)));
            to = __shfl_sync(kFullMask, to, 0);
        }
        run += __popc(taken);
        if (key != kFree)
            pairs[to + __popc(taken & lanes_below())] =
                static_cast<unsigned long long>(key) << 32 | static_cast<unsigned>(s + lane);
    }
    team.sync();
    if (job.sorted && total > 1) {
        const int size = 2 << (31 - __clz(total - 1));
        for (int i = static_cast<int>(total) + team.thread(); i < size; i += team.size())
            pairs[i] = ~0ull;
        team.sync();
        sort_shared(team, pairs, size);
    }
    for (unsigned i = team.thread(); i < total; i += team.size()) {
        const unsigned long long pair = pairs[i];
        job.col[at + i] = static_cast<index_t>(pair >> 32);
        job.value[at + i] = sums[static_cast<unsigned>(pair)];
    }
    team.sync();
}

/// Accumulates one row by whatever suits it.
template <Mode mode, class Team, class T, class P>
__device__ void accumulate_row(Team& team, const Job<T, P>& job, index_t row, char* memory,
                               int bytes) {
    Row<P> r;
    r.row = row;
    r.begin = job.a.row_ptr[row];
    r.end = job.a.row_ptr[row + 1];
    const Range range = job.work.range[row];
    r.low = range.low;
    r.high = range.high;
    r.products = job.work.products[row];
    r.shift = entry_shift(team.size(), r.products, static_cast<std::int64_t>(r.end - r.begin));
    const int table = hash_products(hash_slots(bytes, sizeof(T)));
    const bool fits_table = r.products <= static_cast<std::uint32_t>(table);
    const bool fits_bitmap = std::int64_t{r.high} - r.low + 1 <= bitmap_columns(bytes);
    if (fits_table && (job.hash_first || !fits_bitmap))
        hash_row<mode>(team, job, r, memory);
    else
        bitmap_row<mode>(team, job, r, memory, bytes);
}

}  // namespace sptune::cuda::hash
