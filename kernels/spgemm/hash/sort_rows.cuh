// Rows of C of at most 64 products: expanded into registers, sorted there by column, and summed.
#pragma once

#include "kernels/spgemm/hash/team.cuh"

namespace sptune::cuda::hash {

/// Bitonic sort of the Lanes * Items keys of `Lanes` neighbouring lanes; lane l has keys
/// [l * Items, (l + 1) * Items).
template <int Lanes, int Items>
__device__ __forceinline__ void sort_keys(unsigned (&key)[Items]) {
    const int me = threadIdx.x % Lanes;
#pragma unroll
    for (int size = 2; size <= Lanes * Items; size *= 2) {
#pragma unroll
        for (int far = size / 2; far > 0; far /= 2) {
            if (far < Items) {
#pragma unroll
                for (int r = 0; r < Items; ++r) {
                    if (r & far) continue;
                    const bool rising = ((me * Items + r) & size) == 0;
                    const unsigned less = min(key[r], key[r | far]);
                    const unsigned more = max(key[r], key[r | far]);
                    key[r] = rising ? less : more;
                    key[r | far] = rising ? more : less;
                }
            } else {
#pragma unroll
                for (int r = 0; r < Items; ++r) {
                    const unsigned other = __shfl_xor_sync(kFullMask, key[r], far / Items);
                    const int e = me * Items + r;
                    const bool keep_less = ((e & size) == 0) == ((e & far) == 0);
                    key[r] = keep_less ? min(key[r], other) : max(key[r], other);
                }
            }
        }
    }
}

/// Each group of Lanes lanes takes one row of `list`, the first of them row `first`. Rows have at
/// most Lanes * Items products and Lanes entries in A. All lanes of the warp take part. The sum of
/// an entry is taken in the order of A's entries.
template <Mode mode, int Lanes, int Items, class T, class P>
__device__ __forceinline__ void sort_rows(const Job<T, P>& job, const index_t* list, unsigned count,
                                          unsigned first, WarpTeam& team) {
    static_assert(Items == 1 || Lanes == kWarp);
    constexpr unsigned kNone = 0xffffffffu;
    constexpr int kMost = Lanes * Items;
    constexpr bool kValues = mode != Mode::count;
    const int lane = threadIdx.x % kWarp, me = lane % Lanes;
    const unsigned which = first + lane / Lanes;
    const bool live = which < count;
    const index_t row = live ? list[which] : 0;

    P from = 0;
    int length = 0;
    T factor{0};
    if (live) {
        const P begin = job.a.row_ptr[row];
        if (me < job.a.row_ptr[row + 1] - begin) {
            const index_t j = job.a.col_idx[begin + me];
            if (kValues) factor = job.a.values[begin + me];
            from = job.b.row_ptr[j];
            length = static_cast<int>(job.b.row_ptr[j + 1] - from);
        }
    }
    const int until = inclusive_scan<Lanes>(length);
    const int products = __shfl_sync(kFullMask, until, Lanes - 1, Lanes);
    from -= until - length;  // from + p is where product p of the row lies

    unsigned key[Items];
    T value[Items];
#pragma unroll
    for (int r = 0; r < Items; ++r) {
        const int p = r * Lanes + me;
        int owner = 0;  // lanes whose products all come before p
#pragma unroll
        for (int half = Lanes / 2; half > 0; half /= 2)
            if (__shfl_sync(kFullMask, until, owner + half - 1, Lanes) <= p) owner += half;
        const P base = __shfl_sync(kFullMask, from, owner, Lanes);
        const T scale = kValues ? __shfl_sync(kFullMask, factor, owner, Lanes) : T{0};
        key[r] = kNone;
        value[r] = T{0};
        if (p < products) {
            key[r] = static_cast<unsigned>(__ldg(job.b.col_idx + base + p)) * kMost +
                     static_cast<unsigned>(p);
            if (kValues) value[r] = scale * __ldg(job.b.values + base + p);
        }
    }
    sort_keys<Lanes>(key);

    // head: the first product of a column. Sums run from there to the last product of the column.
    T sum[Items];
    bool valid[Items], head[Items], last[Items];
    unsigned before = __shfl_up_sync(kFullMask, key[Items - 1], 1, Lanes) / kMost;
    if (me == 0) before = kNone;
#pragma unroll
    for (int r = 0; r < Items; ++r) {
        valid[r] = key[r] != kNone;
        head[r] = valid[r] && key[r] / kMost != before;
        before = key[r] / kMost;
    }
    const int next = __shfl_down_sync(kFullMask, head[0] || !valid[0] ? 1 : 0, 1, Lanes);
#pragma unroll
    for (int r = 0; r < Items; ++r) {
        const bool ends = r + 1 < Items ? head[(r + 1) % Items] || !valid[(r + 1) % Items]
                                        : next != 0 || me == Lanes - 1;
        last[r] = valid[r] && ends;
    }
    if constexpr (kValues) {
#pragma unroll
        for (int r = 0; r < Items; ++r) {
            const int p = static_cast<int>(key[r] % kMost);
            sum[r] = T{0};
#pragma unroll
            for (int q = 0; q < Items; ++q) {
                const T there = __shfl_sync(kFullMask, value[q], p % Lanes, Lanes);
                if (valid[r] && p / Lanes == q) sum[r] = there;
            }
        }
        bool any = head[0];
#pragma unroll
        for (int r = 1; r < Items; ++r) {
            if (!head[r]) sum[r] += sum[r - 1];
            any = any || head[r];
        }
        T run = sum[Items - 1];
        int started = any;
#pragma unroll
        for (int offset = 1; offset < Lanes; offset *= 2) {
            const T other = __shfl_up_sync(kFullMask, run, offset, Lanes);
            const int other_started = __shfl_up_sync(kFullMask, started, offset, Lanes);
            if (me >= offset) {
                if (!started) run += other;
                started |= other_started;
            }
        }
        const T carry = __shfl_up_sync(kFullMask, run, 1, Lanes);
        bool own = me == 0;
#pragma unroll
        for (int r = 0; r < Items; ++r) {
            own = own || head[r];
            if (!own) sum[r] += carry;
        }
    }

    const unsigned group = (Lanes == kWarp ? kFullMask : (1u << (Lanes % kWarp)) - 1)
                           << (lane / Lanes * Lanes);
    const unsigned earlier = group & -group;  // the first lane of the group
    unsigned mine = 0, in_group = 0, before_group = 0, in_warp = 0;
#pragma unroll
    for (int r = 0; r < Items; ++r) {
        const unsigned lasts = __ballot_sync(kFullMask, last[r]);
        mine += __popc(lasts & lanes_below() & group);
        in_group += __popc(lasts & group);
        before_group += __popc(lasts & (earlier - 1));
        in_warp += __popc(lasts);
    }
    if (mode != Mode::write) {
        if (live && me == 0) job.row_ptr[row] = static_cast<P>(in_group);
        if (lane == 0) team.room.entries += in_warp;
    }
    if (mode == Mode::count) return;
    long long at;
    if (mode == Mode::write) {
        at = live ? static_cast<long long>(job.row_ptr[row]) : 0;
    } else {
        at = team.once([&] { return team.room.take(job, static_cast<int>(in_warp)); });
        if (at + in_warp > job.capacity) return;
        at += before_group;
        if (live && me == 0) job.place[row] = at;
    }
    at += mine;
#pragma unroll
    for (int r = 0; r < Items; ++r) {
        if (!last[r]) continue;
        job.col[at] = static_cast<index_t>(key[r] / kMost);
        job.value[at] = sum[r];
        ++at;
    }
}

}  // namespace sptune::cuda::hash
