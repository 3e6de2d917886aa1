// A row of C accumulated over a bitmap of its range of columns, in shared memory. The bitmap gives
// the number of entries and their order, so nothing needs to be sorted. Where the range is narrow
// the sums stand side by side, one for each column; else there is one for each set bit.
#pragma once

#include "kernels/spgemm/hash/team.cuh"

namespace sptune::cuda::hash {

/// Columns [low, low + 32 * words) as bits; before[w]: the bits of earlier words. Both arrays lie
/// in shared memory.
struct Bitmap {
    unsigned* bits;
    unsigned* before;
    int words;
    index_t low;

    /// Where a column lies; at least 32 * words for one outside.
    __device__ unsigned offset(index_t column) const {
        return static_cast<unsigned>(column) - static_cast<unsigned>(low);
    }
    __device__ bool covers(unsigned offset) const {
        return offset < static_cast<unsigned>(words) * 32u;
    }
    __device__ void mark(unsigned offset) const {
        const unsigned bit = 1u << (offset & 31);
        volatile unsigned* word = bits + (offset >> 5);
        if (!(*word & bit)) atomicOr(bits + (offset >> 5), bit);
    }
    __device__ unsigned rank(unsigned offset) const {
        const unsigned word = offset >> 5;
        return before[word] + __popc(bits[word] & ((1u << (offset & 31)) - 1));
    }
};

/// Words of each warp of a team: neighbours, a multiple of 32.
template <class Team>
__device__ int words_per_warp(const Team& team, int words) {
    const int lanes = team.warps() * kWarp;
    return (words + lanes - 1) / lanes * kWarp;
}

/// Fills `before` and returns how many bits are set. Begins after, and ends with, a barrier.
template <class Team>
__device__ unsigned rank_words(const Team& team, const Bitmap& map) {
    const int lane = threadIdx.x % kWarp, each = words_per_warp(team, map.words);
    const int first = team.warp() * each, end = min(first + each, map.words);
    unsigned run = 0, total = 0;
    if constexpr (!Team::one_warp) {
        unsigned mine = 0;
        for (int w = first + lane; w < end; w += kWarp) mine += __popc(map.bits[w]);
        mine = group_sum<kWarp>(mine);
        if (lane == 0) team.scratch()[team.warp()] = mine;
        team.sync();
        const unsigned other = lane < team.warps() ? team.scratch()[lane] : 0u;
        total = group_sum<kWarp>(other);
        run = group_sum<kWarp>(lane < team.warp() ? other : 0u);
    }
    for (int w = first; w < end; w += kWarp) {
        const unsigned mine = w + lane < end ? __popc(map.bits[w + lane]) : 0;
        const unsigned until = inclusive_scan(mine);
        if (w + lane < end) map.before[w + lane] = run + until - mine;
        run += __shfl_sync(kFullMask, until, kWarp - 1);
    }
    team.sync();
    return Team::one_warp ? run : total;
}

/// Calls write(rank, offset) for every set bit.
template <class Team, class Write>
__device__ void for_bits(const Team& team, const Bitmap& map, unsigned total, Write write) {
    const int lane = threadIdx.x % kWarp;
    if (total >= 6u * map.words) {  // dense: a word at a time, so that neighbours write neighbours
        const int each = words_per_warp(team, map.words);
        const int first = team.warp() * each, end = min(first + each, map.words);
        for (int w = first; w < end; ++w) {
            const unsigned bits = map.bits[w];
            if (bits >> lane & 1u)
                write(map.before[w] + __popc(bits & lanes_below()), w * 32u + lane);
        }
    } else {
        for (int w = team.thread(); w < map.words; w += team.size()) {
            unsigned bits = map.bits[w], rank = map.before[w];
            for (; bits; bits &= bits - 1) write(rank++, w * 32u + __ffs(bits) - 1);
        }
    }
}

/// What a team multiplies now.
template <class P>
struct Row {
    index_t row;
    P begin, end;  ///< entries of A
    index_t low, high;
    std::uint32_t products;
    int shift;  ///< of for_products
};

/// Many products on few sums: threads meet, above all those of different rows of B (the diagonal of
/// A·Aᵀ is in all of them). Each such group of threads has a copy of the `sums`, where that pays.
template <class Team, class P>
__device__ int copies_of(const Team& team, const Row<P>& r, int sums, int room) {
    int copies = 1;
    while (2 * copies <= team.size() >> r.shift && 2 * copies * sums <= room &&
           2u * copies * sums <= r.products)
        copies *= 2;
    return copies;
}
template <class Team, class P>
__device__ int copy_of(const Team& team, const Row<P>& r, int copies) {
    return (team.thread() >> r.shift) & (copies - 1);
}
/// Begins after a barrier; what it writes is the thread's own until the next.
template <class Team, class T>
__device__ void merge_copies(const Team& team, T* sums, int size, int copies) {
    if (copies == 1) return;
    for (int i = team.thread(); i < size; i += team.size()) {
        T all = sums[i];
        for (int copy = 1; copy < copies; ++copy) all += sums[i + copy * size];
        sums[i] = all;
    }
}

/// One sum for each column of the range.
template <Mode mode, class Team, class T, class P>
__device__ void dense_row(Team& team, const Job<T, P>& job, const Row<P>& r, const Bitmap& map,
                          T* sums, int room) {
    const int width = static_cast<int>(r.high - r.low + 1);
    const int copies = copies_of(team, r, width, room);
    fill(team, map.bits, map.words * 4, 0);
    for (int i = team.thread(); i < copies * width; i += team.size()) sums[i] = T{0};
    team.sync();
    T* mine = sums + copy_of(team, r, copies) * width;
    for_products<true>(team, job.a, job.b, r.begin, r.end, r.shift, Everywhere(),
                       [&](index_t c, T product) {
                           const unsigned at = map.offset(c);
                           map.mark(at);
                           atomicAdd(mine + at, product);
                       });
    team.sync();
    merge_copies(team, sums, width, copies);
    const unsigned total = rank_words(team, map);  // ends with a barrier
    const long long at = settle<mode>(team, job, r.row, total);
    if (at >= 0) {
        for_bits(team, map, total, [&](unsigned rank, unsigned offset) {
            job.col[at + rank] = map.low + static_cast<index_t>(offset);
            job.value[at + rank] = sums[offset];
        });
    }
    team.sync();
}

/// Marks the columns of the row that the bitmap covers and ranks them.
template <class Team, class T, class P, class Where>
__device__ unsigned mark_row(const Team& team, const Job<T, P>& job, const Row<P>& r,
                             const Bitmap& map, Where where) {
    fill(team, map.bits, map.words * 4, 0);
    team.sync();
    for_products<false>(team, job.a, job.b, r.begin, r.end, r.shift, where, [&](index_t c, T) {
        const unsigned at = map.offset(c);
        if (map.covers(at)) map.mark(at);
    });
    team.sync();
    return rank_words(team, map);
}

/// Writes the entries that the ranked bitmap covers, the first of them to `at`. `room` sums fit
/// into shared memory; more are summed in C itself.
template <class Team, class T, class P, class Where>
__device__ void sum_marked(const Team& team, const Job<T, P>& job, const Row<P>& r,
                           const Bitmap& map, Where where, unsigned total, long long at,
                           T* shared_sums, unsigned room) {
    const bool here = total <= room;
    const int size = static_cast<int>(total);
    const int copies = here ? copies_of(team, r, size, static_cast<int>(room)) : 1;
    T* const sums = here ? shared_sums : job.value + at;
    for (int i = team.thread(); i < copies * size; i += team.size()) sums[i] = T{0};
    for_bits(team, map, total, [&](unsigned rank, unsigned offset) {
        job.col[at + rank] = map.low + static_cast<index_t>(offset);
    });
    team.sync();
    const auto add = [&](auto* to) {
        for_products<true>(team, job.a, job.b, r.begin, r.end, r.shift, where,
                           [&](index_t c, T product) {
                               const unsigned offset = map.offset(c);
                               if (map.covers(offset)) atomicAdd(to + map.rank(offset), product);
                           });
    };
    if (here) {
        add(shared_sums + copy_of(team, r, copies) * size);
        team.sync();
        merge_copies(team, shared_sums, size, copies);  // and writes what is its own:
        for (int i = team.thread(); i < size; i += team.size()) job.value[at + i] = shared_sums[i];
    } else {
        add(job.value + at);
    }
    team.sync();
}

/// A range that no bitmap covers is taken a window of columns at a time; where_of(low) is the one
/// that begins there.
template <Mode mode, class Team, class T, class P, class WhereOf>
__device__ void bitmap_windows(Team& team, const Job<T, P>& job, const Row<P>& r, Bitmap map,
                               bool several, T* sums, int room, WhereOf where_of) {
    const long long step = 32ll * map.words;
    unsigned total = 0;
    if (mode == Mode::count || (several && mode == Mode::pack)) {
        for (std::int64_t low = r.low; low <= r.high; low += step) {
            map.low = static_cast<index_t>(low);
            total += mark_row(team, job, r, map, where_of(low));
        }
        if (mode == Mode::count) {
            settle<mode>(team, job, r.row, total);
            return;
        }
    }
    long long at = several ? settle<mode>(team, job, r.row, total) : 0;
    for (std::int64_t low = r.low; low <= r.high && at >= 0; low += step) {
        map.low = static_cast<index_t>(low);
        total = mark_row(team, job, r, map, where_of(low));
        if (!several) at = settle<mode>(team, job, r.row, total);
        if (at < 0) break;
        sum_marked(team, job, r, map, where_of(low), total, at, sums, static_cast<unsigned>(room));
        at += total;
    }
}

template <Mode mode, class Team, class T, class P>
__device__ void bitmap_row(Team& team, const Job<T, P>& job, Row<P> r, char* memory, int bytes) {
    const std::int64_t width = std::int64_t{r.high} - r.low + 1;
    const std::int64_t wanted = ((width + 31) / 32 + 3) / 4 * 4;
    const int words = static_cast<int>(min(wanted, std::int64_t{bitmap_words(bytes)}));
    const Bitmap map{reinterpret_cast<unsigned*>(memory),
                     reinterpret_cast<unsigned*>(memory) + words, words, r.low};
    T* const sums = reinterpret_cast<T*>(memory + 8 * words);
    const int room = (bytes - 8 * words) / static_cast<int>(sizeof(T));

    if (mode != Mode::count && wanted <= words && width <= room &&
        width <= 16 * std::int64_t{r.products}) {
        dense_row<mode>(team, job, r, map, sums, room);
        return;
    }
    const bool several = words < wanted;
    if constexpr (Team::widest) {
        if (several && job.b_sorted) {
            r.products = static_cast<std::uint32_t>(std::uint64_t{r.products} *
                                                    static_cast<unsigned>(words) /
                                                    static_cast<std::uint64_t>(wanted));
            r.shift = entry_shift(team.size(), r.products, r.end - r.begin);
            bitmap_windows<mode>(team, job, r, map, several, sums, room, [&](std::int64_t low) {
                return Window{low, low + 32ll * words};
            });
            return;
        }
    }
    bitmap_windows<mode>(team, job, r, map, several, sums, room,
                         [](std::int64_t) { return Everywhere(); });
}

}  // namespace sptune::cuda::hash
