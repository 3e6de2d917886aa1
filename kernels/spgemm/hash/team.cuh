// Threads that work on a row of C together: a warp or a block.
#pragma once

#include "kernels/spgemm/hash/job.hpp"
#include "matrix/cuda/device.cuh"

namespace sptune::cuda::hash {

__device__ __forceinline__ unsigned lanes_below() {
    unsigned mask;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
}

/// Sum of the lanes up to and with this one.
template <int Width = kWarp, class N>
__device__ __forceinline__ N inclusive_scan(N n) {
    const int lane = threadIdx.x % Width;
#pragma unroll
    for (int offset = 1; offset < Width; offset *= 2) {
        const N before = __shfl_up_sync(kFullMask, n, offset, Width);
        if (lane >= offset) n += before;
    }
    return n;
}

/// Room in the temporary C, taken a chunk at a time. For one thread.
struct Allocator {
    long long at = 0;
    int left = 0;
    unsigned long long entries = 0;  ///< of all rows so far

    template <class T, class P>
    __device__ long long take(const Job<T, P>& job, int n) {
        unsigned long long* cursor = &job.work.counters->cursor;
        // A long row has its own room, so that little of a chunk is ever lost.
        if (n > left && n >= job.chunk / 4)
            return static_cast<long long>(atomicAdd(cursor, static_cast<unsigned long long>(n)));
        if (n > left) {
            at = static_cast<long long>(
                atomicAdd(cursor, static_cast<unsigned long long>(job.chunk)));
            left = job.chunk;
        }
        const long long here = at;
        at += n;
        left -= n;
        return here;
    }
    template <class T, class P>
    __device__ void finish(const Job<T, P>& job) {
        if (entries) atomicAdd(&job.work.counters->entries, entries);
    }
};

/// A warp. All of its lanes know the same.
struct WarpTeam {
    Allocator room;

    static constexpr bool one_warp = true, widest = false;
    __device__ int thread() const { return threadIdx.x % kWarp; }
    __device__ int size() const { return kWarp; }
    __device__ int warp() const { return 0; }
    __device__ int warps() const { return 1; }
    __device__ void sync() const { __syncwarp(); }
    __device__ unsigned* scratch() const { return nullptr; }
    /// What thread 0 finds, for all.
    template <class Find>
    __device__ long long once(Find find) {
        long long found = 0;
        if (thread() == 0) found = find();
        return __shfl_sync(kFullMask, found, 0);
    }
};

struct BlockScratch {
    unsigned part[kWarp];
    long long found;
};

/// A block. Only thread 0 allocates. `Widest`: for rows that no other team has the memory for.
template <bool Widest>
struct BlockTeam {
    BlockScratch* shared;
    Allocator room;

    static constexpr bool one_warp = false, widest = Widest;
    __device__ int thread() const { return threadIdx.x; }
    __device__ int size() const { return blockDim.x; }
    __device__ int warp() const { return threadIdx.x / kWarp; }
    __device__ int warps() const { return blockDim.x / kWarp; }
    __device__ void sync() const { __syncthreads(); }
    __device__ unsigned* scratch() const { return shared->part; }
    /// What thread 0 finds, for all. Ends and begins with a barrier.
    template <class Find>
    __device__ long long once(Find find) {
        if (threadIdx.x == 0) shared->found = find();
        __syncthreads();
        const long long found = shared->found;
        __syncthreads();
        return found;
    }
};

/// Sum over the team, for all of it.
template <class Team>
__device__ unsigned team_sum(const Team& team, unsigned n) {
    n = group_sum<kWarp>(n);
    if constexpr (Team::one_warp) {
        return n;
    } else {
        const int lane = threadIdx.x % kWarp;
        if (lane == 0) team.scratch()[team.warp()] = n;
        team.sync();
        n = group_sum<kWarp>(lane < team.warps() ? team.scratch()[lane] : 0u);
        team.sync();
        return n;
    }
}

/// Fills `bytes` (a multiple of 16) with one 32-bit pattern.
template <class Team>
__device__ void fill(const Team& team, void* memory, int bytes, unsigned pattern) {
    auto* p = static_cast<uint4*>(memory);
    const uint4 all = make_uint4(pattern, pattern, pattern, pattern);
    for (int i = team.thread(); i < bytes / 16; i += team.size()) p[i] = all;
}

/// Notes the length of a row and returns where it goes; negative where there is no room.
template <Mode mode, class Team, class T, class P>
__device__ long long settle(Team& team, const Job<T, P>& job, index_t row, unsigned length) {
    const long long at = team.once([&]() -> long long {
        if constexpr (mode == Mode::write) {
            return job.row_ptr[row];
        } else {
            job.row_ptr[row] = static_cast<P>(length);
            team.room.entries += length;
            if constexpr (mode == Mode::count) return -1;
            const long long here = team.room.take(job, static_cast<int>(length));
            job.place[row] = here;
            return here;
        }
    });
    if (mode == Mode::pack && at + length > job.capacity) return -1;
    return at;
}

/// All columns.
struct Everywhere {
    template <class P>
    __device__ P begin(const index_t*, P first, P) const {
        return first;
    }
    __device__ bool ends_before(index_t) const { return false; }
};
/// [low, high) of a B whose rows are sorted: of long rows only what may lie there is read.
struct Window {
    std::int64_t low, high;
    template <class P>
    __device__ P begin(const index_t* col, P first, P last) const {
        constexpr P kFew = 2 * kWarp;  // are read as soon as searched
        while (last - first > kFew) {
            const P middle = first + (last - first) / 2;
            if (__ldg(col + middle) < low)
                first = middle;
            else
                last = middle;
        }
        return first;
    }
    __device__ bool ends_before(index_t column) const { return column >= high; }
};

/// Calls use(column, product) for every product of the entries [begin, end) of A that lies `where`,
/// and perhaps others. 2^shift threads share an entry. Without values the product is 0.
template <bool kValues, class Team, class T, class P, class Where, class Use>
__device__ __forceinline__ void for_products(const Team& team, const CsrView<T, P>& a,
                                             const CsrView<T, P>& b, P begin, P end, int shift,
                                             Where where, Use use) {
    const int width = 1 << shift, lane = team.thread() & (width - 1);
    const P step = team.size() >> shift;
    // Three stages in flight: the column of one entry of A, the row of B that the entry before it
    // names, and the products of the one before that.
    P k = begin + (team.thread() >> shift);
    index_t later = 0;
    P first = 0, last = 0;
    T factor{0};
    if (k < end) {
        const index_t j = a.col_idx[k];
        if (kValues) factor = a.values[k];
        if (k + step < end) later = a.col_idx[k + step];
        first = b.row_ptr[j];
        last = b.row_ptr[j + 1];
    }
    while (k < end) {
        P l = where.begin(b.col_idx, first, last) + lane;
        const P stop = last;
        const T scale = factor;
        k += step;
        if (k < end) {
            first = b.row_ptr[later];
            last = b.row_ptr[later + 1];
            if (kValues) factor = a.values[k];
            if (k + step < end) later = a.col_idx[k + step];
        }
        for (; l + width < stop; l += 2 * width) {
            const index_t c = __ldg(b.col_idx + l), d = __ldg(b.col_idx + l + width);
            T v{0}, w{0};
            if (kValues) {
                v = __ldg(b.values + l);
                w = __ldg(b.values + l + width);
            }
            use(c, scale * v);
            use(d, scale * w);
            if (where.ends_before(d)) l = stop;
        }
        if (l < stop) use(__ldg(b.col_idx + l), kValues ? scale * __ldg(b.values + l) : T{0});
    }
}

/// How many threads should share an entry of A: about the length of the rows of B, but so that all
/// of the team have something to do.
__device__ inline int entry_shift(int team, std::uint32_t products, std::int64_t a_length) {
    const auto length = static_cast<unsigned>(min(a_length, std::int64_t{1} << 30));
    const unsigned mean = products / length;
    const int wanted = 31 - __clz(max(mean, 1u));
    const int spread = 31 - __clz(max(static_cast<unsigned>(team) / length, 1u));
    return min(max(min(wanted, 5), spread), 31 - __clz(team));
}

}  // namespace sptune::cuda::hash
