// Products a_ij x_j staged in shared memory, then summed row by row: loads are coalesced whatever
// the lengths of the rows.
#pragma once

#include "kernels/cuda/matrix_load.cuh"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace sptune::cuda {

/// What a block may have of shared memory without asking.
constexpr std::size_t kSharedBytes = 48 << 10;

/// Blocks that a multiprocessor is to hold: as many as it has threads for, or three quarters of
/// that where a thread has more than 4 entries, which take registers.
constexpr int resident_blocks(int block, int items) {
    const int threads = items <= 4 ? kResidentThreads : kResidentThreads * 3 / 4;
    return std::min(threads / block, kResidentBlocks);
}

/// product[i] = values[i] · x[column[i]] for `count` entries, `Items` loads of each thread in
/// flight.
template <int Block, int Items, class T, class C>
__device__ __forceinline__ void stage_products(MatrixLoad load, const T* values, const C* column,
                                               int count, const T* x, T* product) {
    for (int base = 0; base < count; base += Block * Items) {
        T value[Items];
        index_t j[Items];
#pragma unroll
        for (int i = 0; i < Items; ++i) {
            const int k = base + i * Block + static_cast<int>(threadIdx.x);
            value[i] = load.when(k < count, values + k, T{0});
            j[i] = static_cast<index_t>(load.when(k < count, column + k, C{0}));
        }
#pragma unroll
        for (int i = 0; i < Items; ++i) {
            const int k = base + i * Block + static_cast<int>(threadIdx.x);
            if (k < count) product[k] = value[i] * gather(x, j[i]);
        }
    }
}

/// Where the rows of a block lie among its staged products: less than 2^16 of those, and less than
/// twice as many as there may be rows.
template <int MostRows>
struct StagedRows {
    /// How many times as long as its share of threads a row may be before whole warps do it.
    static constexpr int kPatience = 32;

    std::uint16_t begin[MostRows + 1];
    std::uint16_t queue[2 * MostRows / kPatience + 1];  ///< rows left to whole warps
    int queued;

    /// `row_ptr` is that of the first of `rows` rows, of which the entries in [first, last) are
    /// staged. To be followed by __syncthreads().
    template <int Block, class P>
    __device__ __forceinline__ void load(const P* row_ptr, int rows, P first, P last) {
        if (threadIdx.x == 0) queued = 0;
        for (int r = static_cast<int>(threadIdx.x); r <= rows; r += Block)
            begin[r] = static_cast<std::uint16_t>(min(max(row_ptr[r], first), last) - first);
    }

    /// Calls store(row, sum) for each of the rows, by one thread. As many threads share a row as
    /// the block offers, up to a warp; rows that are far longer than others are left to whole
    /// warps afterwards. The order of a row's sum depends on the rows alone.
    template <int Block, class T, class Store>
    __device__ __forceinline__ void sum(int rows, const T* product, Store store) {
        sum_at_most<Block, kWarp>(rows, product, store);
    }

  private:
    /// By the most threads a row, up to `Threads`, that the block has for all rows at once. A
    /// constant, since dividing by a variable took more instructions than adding up.
    template <int Block, int Threads, class T, class Store>
    __device__ __forceinline__ void sum_at_most(int rows, const T* product, Store store) {
        if constexpr (Threads > 1) {
            if (Threads * rows > Block)
                return sum_at_most<Block, Threads / 2>(rows, product, store);
        }
        sum_by<Block, Threads>(rows, product, store);
    }

    template <int Block, int Threads, class T, class Store>
    __device__ __forceinline__ void sum_by(int rows, const T* product, Store store) {
        constexpr int longest = Threads < kWarp ? kPatience * Threads : 1 << 16;
        const int lane = static_cast<int>(threadIdx.x) % Threads;
        const int place = static_cast<int>(threadIdx.x) / Threads;
        for (int r = place; r - place < rows; r += Block / Threads) {
            const int from = r < rows ? begin[r] : 0, to = r < rows ? begin[r + 1] : 0;
            const bool mine = r < rows && to - from <= longest;
            if (r < rows && !mine && lane == 0)
                queue[atomicAdd(&queued, 1)] = static_cast<std::uint16_t>(r);
            T sum{0};
            if (mine) sum = part<Threads>(product, from + lane, to);
            sum = group_sum<Threads>(sum);
            if (mine && lane == 0) store(r, sum);
        }
        if constexpr (Threads < kWarp) {
            __syncthreads();
            const int here = static_cast<int>(threadIdx.x) % kWarp;
            const int all = queued;
            for (int q = static_cast<int>(threadIdx.x) / kWarp; q < all; q += Block / kWarp) {
                const int r = queue[q];
                const T sum = group_sum<kWarp>(part<kWarp>(product, begin[r] + here, begin[r + 1]));
                if (here == 0) store(r, sum);
            }
        }
    }

    /// Sum of every `Step`-th product of [k, to), in order; four loads in flight.
    template <int Step, class T>
    __device__ __forceinline__ static T part(const T* product, int k, int to) {
        T sum{0};
        for (; k + 3 * Step < to; k += 4 * Step) {
            const T first = product[k], second = product[k + Step], third = product[k + 2 * Step],
                    fourth = product[k + 3 * Step];
            sum += first;
            sum += second;
            sum += third;
            sum += fourth;
        }
        for (; k < to; k += Step) sum += product[k];
        return sum;
    }
};

}  // namespace sptune::cuda
