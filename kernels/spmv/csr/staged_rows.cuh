// Products a_ij x_j staged in shared memory, then summed row by row: loads are coalesced whatever
// the lengths of the rows.
#pragma once

#include "kernels/cuda/device.cuh"

namespace sptune::cuda {

/// product[i] = values[i] · x[column[i]] for `count` entries, `Items` loads of each thread in
/// flight.
template <int Block, int Items, class T, class C>
__device__ __forceinline__ void stage_products(const T* values, const C* column, int count,
                                               const T* x, T* product) {
    for (int base = 0; base < count; base += Block * Items) {
        T value[Items];
        index_t j[Items];
#pragma unroll
        for (int i = 0; i < Items; ++i) {
            const int k = base + i * Block + static_cast<int>(threadIdx.x);
            value[i] = k < count ? stream_load(values + k) : T{0};
            j[i] = k < count ? static_cast<index_t>(stream_load(column + k)) : 0;
        }
#pragma unroll
        for (int i = 0; i < Items; ++i) {
            const int k = base + i * Block + static_cast<int>(threadIdx.x);
            if (k < count) product[k] = value[i] * gather(x, j[i]);
        }
    }
}

/// Calls store(row, sum) for each row in [first, last), by one thread. The entries of the rows that
/// lie in [begin, end) are staged from product[0] on. As many threads share a row as the block
/// offers, up to a warp.
template <int Block, class T, class P, class Store>
__device__ __forceinline__ void sum_staged_rows(const P* row_ptr, index_t first, index_t last,
                                                P begin, P end, const T* product, Store store) {
    const int rows = last - first;
    int threads = 1;
    while (threads < kWarp && 2 * threads * rows <= Block) threads *= 2;
    const int lane = threadIdx.x % threads, place = threadIdx.x / threads;
    const int at_once = Block / threads;
    for (int start = 0; start < rows; start += at_once) {
        const int r = start + place;
        T sum{0};
        if (r < rows) {
            const int from = static_cast<int>(max(row_ptr[first + r], begin) - begin);
            const int to = static_cast<int>(min(row_ptr[first + r + 1], end) - begin);
            for (int k = from + lane; k < to; k += threads) sum += product[k];
        }
        for (int offset = threads / 2; offset > 0; offset /= 2)
            sum += __shfl_xor_sync(kFullMask, sum, offset);
        if (r < rows && lane == 0) store(first + r, sum);
    }
}

}  // namespace sptune::cuda
