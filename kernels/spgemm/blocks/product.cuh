// The kernels of multiply_blocks(): M·M threads for each pair of blocks, a thread for each entry.
#pragma once

#include "kernels/spgemm/blocks/arithmetic.cuh"
#include "kernels/spgemm/blocks/product.hpp"
#include "matrix/cuda/device.cuh"
#include "matrix/partition_point.hpp"

namespace sptune::cuda {

/// Threads of a block: several products side by side where M is small.
template <int M>
inline constexpr int kProductThreads = M* M > 256 ? M* M : 256;

template <class V>
struct ProductView {
    BlockView<V> a, b;
    const std::int64_t* b_col_ptr;  ///< B by columns
    const index_t* b_row;
    const std::int64_t* b_block;
    const std::int64_t* c_row_ptr;  ///< blocks of C; nullptr: C is dense
    const index_t *c_row, *c_col;
    std::int64_t products;  ///< blocks of C to compute
    V* c;

    __device__ bool dense() const { return c_row_ptr == nullptr; }
    /// Entry (i, j) of block (row, col) of C, which is number `place` of its blocks; nullptr where
    /// a dense C ends before it.
    template <int M>
    __device__ V* entry(std::int64_t row, std::int64_t col, std::int64_t place, int i,
                        int j) const {
        if (!dense()) return c + (place * M + i) * M + j;
        const std::int64_t r = row * M + i, k = col * M + j;
        return r < a.rows && k < b.cols ? c + r * b.cols + k : nullptr;
    }
};

/// The first of [low, high) whose number is not below `wanted`.
__device__ inline std::int64_t bisect(const index_t* numbers, std::int64_t low, std::int64_t high,
                                      index_t wanted) {
    return partition_point(low, high, [&](std::int64_t k) { return numbers[k] < wanted; });
}

/// Adds what block `in_a` times block `in_b` has at (i, j).
template <int M, class V>
__device__ typename Arithmetic<V>::Sum multiply_pair(const ProductView<V>& p, std::int64_t in_a,
                                                     std::int64_t in_b, int i, int j,
                                                     typename Arithmetic<V>::Sum sum) {
    const V* const left = p.a.values + (in_a * M + i) * M;
    const V* const right = p.b.values + in_b * (M * M) + j;
#pragma unroll
    for (int k = 0; k < M; ++k)
        sum = Arithmetic<V>::add(sum, __ldg(left + k), __ldg(right + k * M));
    return sum;
}

/// merge and search: a group of threads for each block of C.
template <int M, bool Search, class V>
__global__ void __launch_bounds__(kProductThreads<M>) intersect_kernel(ProductView<V> p) {
    const std::int64_t product = global_thread() / (M * M);
    if (product >= p.products) return;
    const int i = threadIdx.x / M % M, j = threadIdx.x % M;
    const std::int64_t row = p.dense() ? product / p.b.block_cols : p.c_row[product];
    const std::int64_t col = p.dense() ? product % p.b.block_cols : p.c_col[product];
    const std::int64_t a_end = p.a.row_ptr[row + 1], b_end = p.b_col_ptr[col + 1];
    std::int64_t n = p.b_col_ptr[col];
    typename Arithmetic<V>::Sum sum{};
    for (std::int64_t k = p.a.row_ptr[row]; k < a_end && n < b_end; ++k) {
        const index_t inner = p.a.col[k];
        if constexpr (Search)
            n = bisect(p.b_row, n, b_end, inner);
        else
            while (n < b_end && p.b_row[n] < inner) ++n;
        if (n < b_end && p.b_row[n] == inner) sum = multiply_pair<M>(p, k, p.b_block[n], i, j, sum);
    }
    V* const to = p.template entry<M>(row, col, product, i, j);
    if (to) *to = Arithmetic<V>::narrow(sum);
}

/// rows: a thread block for each block row of C, which is 0 at first. The blocks of a block row of
/// B lie in different columns, so groups of threads work on them side by side; between two blocks
/// of A they wait for each other.
template <int M, class V>
__global__ void __launch_bounds__(kProductThreads<M>) rows_kernel(ProductView<V> p) {
    constexpr int groups = kProductThreads<M> / (M * M);
    const std::int64_t row = blockIdx.x;
    const int group = threadIdx.x / (M * M), i = threadIdx.x / M % M, j = threadIdx.x % M;
    const std::int64_t a_end = p.a.row_ptr[row + 1];
    for (std::int64_t k = p.a.row_ptr[row]; k < a_end; ++k) {
        const index_t inner = p.a.col[k];
        const std::int64_t b_end = p.b.row_ptr[inner + 1];
        for (std::int64_t n = p.b.row_ptr[inner] + group; n < b_end; n += groups) {
            const index_t col = p.b.col[n];
            const std::int64_t place =
                p.dense() ? 0 : bisect(p.c_col, p.c_row_ptr[row], p.c_row_ptr[row + 1], col);
            V* const to = p.template entry<M>(row, col, place, i, j);
            if (to)
                *to = Arithmetic<V>::narrow(
                    multiply_pair<M>(p, k, n, i, j, typename Arithmetic<V>::Sum{*to}));
        }
        __syncthreads();
    }
}

}  // namespace sptune::cuda
