#include "kernels/spgemm/blocks/to_csr.hpp"
#include "kernels/spgemm/finish.hpp"
#include "matrix/cuda/device.cuh"
#include "matrix/cuda/grid.hpp"

namespace sptune::cuda {
namespace {

constexpr int kThreads = 256;

/// The places of one row of C, from left to right.
struct DenseRows {
    index_t cols;

    __device__ std::int64_t places(std::int64_t) const { return cols; }
    __device__ std::int64_t column(std::int64_t, std::int64_t n) const { return n; }
    __device__ std::int64_t at(std::int64_t row, std::int64_t n) const { return row * cols + n; }
};
struct BlockedRows {
    const std::int64_t* row_ptr;
    const index_t* col;
    int m;

    __device__ std::int64_t first(std::int64_t row) const { return row_ptr[row / m]; }
    __device__ std::int64_t places(std::int64_t row) const {
        return (row_ptr[row / m + 1] - first(row)) * m;
    }
    __device__ std::int64_t column(std::int64_t row, std::int64_t n) const {
        return std::int64_t{col[first(row) + n / m]} * m + n % m;
    }
    __device__ std::int64_t at(std::int64_t row, std::int64_t n) const {
        return ((first(row) + n / m) * m + row % m) * m + n % m;
    }
};

/// A warp per row: its length, or with `Fill` its entries.
template <bool Fill, class Rows, class T, class P>
__global__ void walk_rows(Rows c, index_t rows, index_t cols, const T* values, const T* hits,
                          P* row_ptr, index_t* col, T* value) {
    const std::int64_t row = global_thread() / kWarp;
    if (row >= rows) return;
    const int lane = threadIdx.x % kWarp;
    const std::int64_t places = c.places(row);
    P before = 0;
    if constexpr (Fill) before = row_ptr[row];
    for (std::int64_t base = 0; base < places; base += kWarp) {
        const std::int64_t n = base + lane;
        const bool there = n < places && c.column(row, n) < cols && hits[c.at(row, n)] != T{0};
        const unsigned all = __ballot_sync(kFullMask, there);
        if constexpr (Fill) {
            if (there) {
                const P place = before + __popc(all & ((1u << lane) - 1));
                col[place] = static_cast<index_t>(c.column(row, n));
                value[place] = values[c.at(row, n)];
            }
        }
        before += __popc(all);
    }
    if constexpr (!Fill)
        if (lane == 0) row_ptr[row] = before;
}

template <class Rows, class T, class P>
DeviceCsr<T, P> collect(const Rows& from, index_t rows, index_t cols, const T* values,
                        const T* hits, std::uint64_t memory_bytes) {
    DeviceCsr<T, P> c = empty_csr<T, P>(rows, cols);
    if (rows == 0) return c;
    const unsigned grid = blocks_for(rows, kThreads / kWarp);
    walk_rows<false><<<grid, kThreads>>>(from, rows, cols, values, hits, c.row_ptr.data(),
                                         static_cast<index_t*>(nullptr), static_cast<T*>(nullptr));
    SPTUNE_CUDA_LAUNCHED("walk_rows (count)");
    allocate_rows(c, memory_bytes);
    walk_rows<true><<<grid, kThreads>>>(from, rows, cols, values, hits, c.row_ptr.data(),
                                        c.col_idx.data(), c.values.data());
    SPTUNE_CUDA_LAUNCHED("walk_rows (fill)");
    return c;
}

}  // namespace

template <class T, class P>
DeviceCsr<T, P> csr_of(const BlockPattern* pattern, int m, index_t rows, index_t cols,
                       const T* values, const T* hits, std::uint64_t memory_bytes) {
    if (pattern == nullptr)
        return collect<DenseRows, T, P>({cols}, rows, cols, values, hits, memory_bytes);
    return collect<BlockedRows, T, P>({pattern->row_ptr.data(), pattern->col.data(), m}, rows, cols,
                                      values, hits, memory_bytes);
}

#define SPTUNE_INSTANTIATE(T, P)                                                          \
    template DeviceCsr<T, P> csr_of(const BlockPattern*, int, index_t, index_t, const T*, \
                                    const T*, std::uint64_t);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::cuda
