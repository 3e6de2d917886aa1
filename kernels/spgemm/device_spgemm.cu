#include "kernels/cuda/sort.hpp"
#include "kernels/spgemm/device_spgemm.hpp"
#include "matrix/cuda/device.cuh"
#include "matrix/cuda/grid.hpp"

#include <cub/device/device_scan.cuh>

namespace sptune::cuda {
namespace {

constexpr int kBlock = 256;

/// A warp per row: how many of its entries are not 0.
template <class T, class P>
__global__ void count_kernel(CsrView<T, P> c, P* length) {
    const std::int64_t row = global_thread() / kWarp;
    if (row >= c.rows) return;
    const int lane = threadIdx.x % kWarp;
    unsigned long long count = 0;
    for (P k = c.row_ptr[row] + lane; k < c.row_ptr[row + 1]; k += kWarp)
        count += c.values[k] != T{0};
    count = group_sum<kWarp>(count);
    if (lane == 0) length[row] = static_cast<P>(count);
}

/// A warp per row: moves what is not 0 to where `row_ptr` says.
template <class T, class P>
__global__ void move_kernel(CsrView<T, P> c, const P* row_ptr, index_t* col, T* value) {
    const std::int64_t row = global_thread() / kWarp;
    if (row >= c.rows) return;
    const int lane = threadIdx.x % kWarp;
    const P end = c.row_ptr[row + 1];
    P to = row_ptr[row];
    for (P base = c.row_ptr[row]; base < end; base += kWarp) {
        const P k = base + lane;
        const T v = k < end ? c.values[k] : T{0};
        const unsigned kept = __ballot_sync(kFullMask, v != T{0});
        if (v != T{0}) {
            const P at = to + __popc(kept & ((1u << lane) - 1));
            col[at] = c.col_idx[k];
            value[at] = v;
        }
        to += __popc(kept);
    }
}

/// A warp per row: whether a column is not above the one before it.
template <class P>
__global__ void sorted_kernel(index_t rows, const P* row_ptr, const index_t* col, int* unsorted) {
    const std::int64_t row = global_thread() / kWarp;
    if (row >= rows) return;
    bool falls = false;
    for (P k = row_ptr[row] + 1 + threadIdx.x % kWarp; k < row_ptr[row + 1]; k += kWarp)
        falls = falls || col[k] <= col[k - 1];
    if (falls) *unsorted = 1;
}

/// A warp per row: row and column as one number, and where the entry is.
template <class T, class P>
__global__ void keys_kernel(CsrView<T, P> c, int bits, std::uint64_t* key, std::int64_t* item) {
    const std::int64_t row = global_thread() / kWarp;
    if (row >= c.rows) return;
    for (P k = c.row_ptr[row] + threadIdx.x % kWarp; k < c.row_ptr[row + 1]; k += kWarp) {
        key[k] = static_cast<std::uint64_t>(row) << bits | static_cast<std::uint64_t>(c.col_idx[k]);
        item[k] = k;
    }
}

template <class T, class P>
__global__ void gather_kernel(CsrView<T, P> c, const std::int64_t* item, index_t* col, T* value) {
    const std::int64_t k = global_thread();
    if (k >= c.entries) return;
    col[k] = c.col_idx[item[k]];
    value[k] = c.values[item[k]];
}

}  // namespace

void allow_allocations(cudaStream_t stream) {
    if (stream) SPTUNE_CUDA(cudaStreamSynchronize(nullptr));
}

template <class T, class P>
DeviceCsr<T, P> empty_product(index_t rows, index_t cols, cudaStream_t stream) {
    DeviceCsr<T, P> c;
    c.rows = rows;
    c.cols = cols;
    c.row_ptr = DeviceBuffer<P>(static_cast<std::size_t>(rows) + 1);
    allow_allocations(stream);
    SPTUNE_CUDA(cudaMemsetAsync(c.row_ptr.data(), 0, c.row_ptr.bytes(), stream));
    SPTUNE_CUDA(cudaStreamSynchronize(stream));
    return c;
}

template <class T, class P>
void drop_zeros(DeviceCsr<T, P>& c, cudaStream_t stream) {
    if (c.entries == 0) return;
    const std::int64_t places = std::int64_t{c.rows} + 1;
    DeviceBuffer<P> row_ptr(static_cast<std::size_t>(places));
    std::size_t bytes = 0;
    SPTUNE_CUDA(
        cub::DeviceScan::ExclusiveSum(nullptr, bytes, row_ptr.data(), row_ptr.data(), places));
    DeviceBuffer<char> scratch(bytes + 1);
    allow_allocations(stream);
    const unsigned blocks = blocks_for(std::int64_t{c.rows} * kWarp, kBlock);
    count_kernel<<<blocks, kBlock, 0, stream>>>(c.view(), row_ptr.data());
    SPTUNE_CUDA_LAUNCHED("count_kernel");
    SPTUNE_CUDA(cub::DeviceScan::ExclusiveSum(scratch.data(), bytes, row_ptr.data(), row_ptr.data(),
                                              places, stream));
    P left = 0;
    SPTUNE_CUDA(
        cudaMemcpyAsync(&left, row_ptr.data() + c.rows, sizeof(P), cudaMemcpyDeviceToHost, stream));
    SPTUNE_CUDA(cudaStreamSynchronize(stream));
    if (left == c.entries) return;
    DeviceBuffer<index_t> col(static_cast<std::size_t>(left));
    DeviceBuffer<T> value(static_cast<std::size_t>(left));
    allow_allocations(stream);
    move_kernel<<<blocks, kBlock, 0, stream>>>(c.view(), row_ptr.data(), col.data(), value.data());
    SPTUNE_CUDA_LAUNCHED("move_kernel");
    SPTUNE_CUDA(cudaStreamSynchronize(stream));
    c.entries = left;
    c.row_ptr = std::move(row_ptr);
    c.col_idx = std::move(col);
    c.values = std::move(value);
}

template <class T, class P>
void sort_rows(DeviceCsr<T, P>& c, cudaStream_t stream) {
    if (c.entries == 0) return;
    DeviceBuffer<int> unsorted(1);
    allow_allocations(stream);
    SPTUNE_CUDA(cudaMemsetAsync(unsorted.data(), 0, sizeof(int), stream));
    sorted_kernel<<<blocks_for(std::int64_t{c.rows} * kWarp, kBlock), kBlock, 0, stream>>>(
        c.rows, c.row_ptr.data(), c.col_idx.data(), unsorted.data());
    SPTUNE_CUDA_LAUNCHED("sorted_kernel");
    int found = 0;
    SPTUNE_CUDA(
        cudaMemcpyAsync(&found, unsorted.data(), sizeof(int), cudaMemcpyDeviceToHost, stream));
    SPTUNE_CUDA(cudaStreamSynchronize(stream));
    if (!found) return;
    // All entries by row and column at once: rare, so that simple counts more than fast.
    const int bits = bits_for(static_cast<std::uint64_t>(c.cols));
    DeviceBuffer<std::uint64_t> key(c.col_idx.size());
    DeviceBuffer<std::int64_t> item(c.col_idx.size());
    keys_kernel<<<blocks_for(std::int64_t{c.rows} * kWarp, kBlock), kBlock>>>(
        c.view(), bits, key.data(), item.data());
    SPTUNE_CUDA_LAUNCHED("keys_kernel");
    sort_by_key(key, item, bits + bits_for(static_cast<std::uint64_t>(c.rows)));
    DeviceBuffer<index_t> col(c.col_idx.size());
    DeviceBuffer<T> value(c.values.size());
    gather_kernel<<<blocks_for(std::int64_t{c.entries}, kBlock), kBlock>>>(
        c.view(), item.data(), col.data(), value.data());
    SPTUNE_CUDA_LAUNCHED("gather_kernel");
    SPTUNE_CUDA(cudaStreamSynchronize(nullptr));
    c.col_idx = std::move(col);
    c.values = std::move(value);
}

template <class T, class P>
DeviceCsr<T, P> allocate_product(index_t rows, index_t cols, std::uint64_t entries,
                                 DeviceBuffer<P> row_ptr, std::uint64_t others,
                                 std::uint64_t memory_bytes) {
    require_countable<P>(entries);
    const std::uint64_t bytes = others + row_ptr.bytes() + entries * (sizeof(T) + sizeof(index_t));
    if (bytes > memory_bytes) throw OutOfMemory("C with what it takes to make it", bytes);
    DeviceCsr<T, P> c;
    c.rows = rows;
    c.cols = cols;
    c.entries = static_cast<P>(entries);
    c.row_ptr = std::move(row_ptr);
    c.col_idx = DeviceBuffer<index_t>(static_cast<std::size_t>(entries));
    c.values = DeviceBuffer<T>(static_cast<std::size_t>(entries));
    return c;
}

#define SPTUNE_INSTANTIATE(T, P)                                                                \
    template DeviceCsr<T, P> empty_product(index_t, index_t, cudaStream_t);                     \
    template void drop_zeros(DeviceCsr<T, P>&, cudaStream_t);                                   \
    template void sort_rows(DeviceCsr<T, P>&, cudaStream_t);                                    \
    template DeviceCsr<T, P> allocate_product(index_t, index_t, std::uint64_t, DeviceBuffer<P>, \
                                              std::uint64_t, std::uint64_t);
SPTUNE_INSTANTIATE(float, std::int32_t)
SPTUNE_INSTANTIATE(float, std::int64_t)
SPTUNE_INSTANTIATE(double, std::int32_t)
SPTUNE_INSTANTIATE(double, std::int64_t)

}  // namespace sptune::cuda
