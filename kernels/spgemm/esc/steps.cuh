// The kernels of expand, sort, compress. A key is the position of a product: its row, counted from
// the first of the chunk, above column_bits bits of its column.
#pragma once

#include "matrix/csr.hpp"
#include "matrix/cuda/device.cuh"
#include "matrix/cuda/grid.hpp"
#include "matrix/partition_point.hpp"

#include <cstdint>

namespace sptune::esc {

using namespace cuda;
using Key = std::uint64_t;

constexpr int kBlock = 256, kEach = 8;

/// The last place in [low, high] whose number is `k` or less; `low` is one.
template <class N>
__device__ std::int64_t last_not_above(const N* numbers, std::int64_t low, std::int64_t high,
                                       std::int64_t k) {
    return partition_point(low + 1, high + 1, [&](std::int64_t i) { return numbers[i] <= k; }) - 1;
}

/// Products of each entry of A.
template <class T, class P>
__global__ void count_kernel(CsrView<T, P> a, CsrView<T, P> b, std::int64_t entries,
                             std::int64_t* products) {
    const std::int64_t k = global_thread();
    if (k >= entries) return;
    const index_t j = a.col_idx[k];
    products[k] = b.row_ptr[j + 1] - b.row_ptr[j];
}

/// Where the products of each row begin.
template <class P>
__global__ void row_starts_kernel(const P* row_ptr, index_t rows, const std::int64_t* start,
                                  std::int64_t* row_start) {
    const std::int64_t i = global_thread();
    if (i <= rows) row_start[i] = start[row_ptr[i]];
}

/// Products [begin, end), a tile of them for each block. start[k]: the first product of entry k.
template <class T, class P>
__global__ void __launch_bounds__(kBlock)
    expand_kernel(CsrView<T, P> a, CsrView<T, P> b, std::int64_t entries, const std::int64_t* start,
                  std::int64_t begin, std::int64_t end, index_t first_row, int column_bits,
                  Key* key, T* value) {
    __shared__ std::int64_t bound[4];
    const std::int64_t from = begin + std::int64_t{blockIdx.x} * (kBlock * kEach);
    const std::int64_t to = min(from + kBlock * kEach, end);
    if (threadIdx.x < 2) {
        const std::int64_t k =
            last_not_above(start, 0, entries - 1, threadIdx.x == 0 ? from : to - 1);
        bound[threadIdx.x] = k;
        bound[2 + threadIdx.x] = last_not_above(a.row_ptr, 0, a.rows - 1, k);
    }
    __syncthreads();
    for (std::int64_t p = from + threadIdx.x; p < to; p += kBlock) {
        const std::int64_t k = last_not_above(start, bound[0], bound[1], p);
        const std::int64_t row = last_not_above(a.row_ptr, bound[2], bound[3], k);
        const std::int64_t l = b.row_ptr[a.col_idx[k]] + (p - start[k]);
        key[p - begin] =
            static_cast<Key>(row - first_row) << column_bits | static_cast<Key>(b.col_idx[l]);
        value[p - begin] = a.values[k] * b.values[l];
    }
}

/// Whether a position differs from the one before.
struct BeginsRun {
    const Key* key;
    __device__ bool operator()(std::int64_t i) const { return i == 0 || key[i] != key[i - 1]; }
};

/// 2^shift threads sum a run of equal positions.
template <class T>
__global__ void __launch_bounds__(kBlock)
    compress_kernel(const Key* key, const T* value, std::int64_t size, const std::int64_t* run,
                    std::int64_t runs, int shift, int column_bits, index_t* col, T* sums) {
    const std::int64_t r = global_thread() >> shift;
    const int width = 1 << shift, lane = threadIdx.x & (width - 1);
    T sum{0};
    if (r < runs) {
        const std::int64_t end = r + 1 < runs ? run[r + 1] : size;
        for (std::int64_t i = run[r] + lane; i < end; i += width) sum += value[i];
    }
    for (int offset = width / 2; offset > 0; offset /= 2)
        sum += __shfl_xor_sync(kFullMask, sum, offset);
    if (r < runs && lane == 0) {
        col[r] = static_cast<index_t>(key[run[r]] & ((Key{1} << column_bits) - 1));
        sums[r] = sum;
    }
}

/// Row pointers of rows [first, first + rows], `offset` entries of C being before them.
template <class P>
__global__ void row_ptr_kernel(const Key* key, const std::int64_t* run, std::int64_t runs,
                               int column_bits, index_t rows, std::int64_t offset, P* row_ptr) {
    const std::int64_t i = global_thread();
    if (i > rows) return;
    const std::int64_t first = partition_point(std::int64_t{0}, runs, [&](std::int64_t r) {
        return static_cast<std::int64_t>(key[run[r]] >> column_bits) < i;
    });
    row_ptr[i] = static_cast<P>(offset + first);
}

}  // namespace sptune::esc
