#include "kernels/cuda/columns_sorted.cuh"
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
void drop_zeros(DeviceCsr<T, P>& c, cudaStream_t stream, std::uint64_t memory_bytes) {
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
    const std::uint64_t both = 2 * row_ptr.bytes() + c.col_idx.bytes() + c.values.bytes() +
                               static_cast<std::uint64_t>(left) * (sizeof(index_t) + sizeof(T));
    if (both > memory_bytes) throw OutOfMemory("a copy of C without its zeros", both);
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
bool rows_sorted(CsrView<T, P> c) {
    return columns_sorted<Repeats::forbidden>(c);
}

template <class T, class P>
DeviceCsr<T, P> allocate_product(index_t rows, index_t cols, std::uint64_t entries,
                                 DeviceBuffer<P>&& row_ptr, std::uint64_t others,
                                 std::uint64_t memory_bytes) {
    require_countable<P>(entries);
    const std::uint64_t bytes = others + row_ptr.bytes() + entries * (sizeof(T) + sizeof(index_t));
    if (bytes > memory_bytes) throw OutOfMemory("C with what it takes to make it", bytes);
    DeviceCsr<T, P> c;
    c.rows = rows;
    c.cols = cols;
    c.entries = static_cast<P>(entries);
    c.col_idx = DeviceBuffer<index_t>(static_cast<std::size_t>(entries));
    c.values = DeviceBuffer<T>(static_cast<std::size_t>(entries));
    c.row_ptr = std::move(row_ptr);
    return c;
}

#define SPTUNE_INSTANTIATE(T, P)                                                                  \
    template DeviceCsr<T, P> empty_product(index_t, index_t, cudaStream_t);                       \
    template void drop_zeros(DeviceCsr<T, P>&, cudaStream_t, std::uint64_t);                      \
    template bool rows_sorted(CsrView<T, P>);                                                     \
    template DeviceCsr<T, P> allocate_product(index_t, index_t, std::uint64_t, DeviceBuffer<P>&&, \
                                              std::uint64_t, std::uint64_t);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::cuda
