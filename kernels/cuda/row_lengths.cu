#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/row_lengths.hpp"
#include "kernels/cuda/sort.hpp"

#include <cub/device/device_radix_sort.cuh>

namespace sptune::cuda {
namespace {

constexpr int kThreads = 256;

template <class P>
__global__ void list_lengths(const P* row_ptr, index_t rows, std::uint32_t* length) {
    const std::int64_t i = global_thread();
    if (i < rows) length[i] = static_cast<std::uint32_t>(row_ptr[i + 1] - row_ptr[i]);
}

/// Radix sort puts small keys first: what is missing to the longest row is the key.
template <class P>
__global__ void list_missing(const P* row_ptr, index_t rows, index_t longest,
                             std::uint32_t* missing, index_t* row) {
    const std::int64_t i = global_thread();
    if (i >= rows) return;
    missing[i] = static_cast<std::uint32_t>(longest - (row_ptr[i + 1] - row_ptr[i]));
    row[i] = static_cast<index_t>(i);
}

}  // namespace

template <class P>
DeviceBuffer<std::uint32_t> sorted_lengths(const P* row_ptr, index_t rows, index_t longest) {
    if (rows == 0) return {};
    DeviceBuffer<std::uint32_t> length(static_cast<std::size_t>(rows)), other(length.size());
    list_lengths<<<blocks_for(rows, kThreads), kThreads>>>(row_ptr, rows, length.data());
    SPTUNE_CUDA_LAUNCHED("list_lengths");
    cub::DoubleBuffer<std::uint32_t> keys(length.data(), other.data());
    const int bits = bits_for(static_cast<std::uint64_t>(longest));
    std::size_t bytes = 0;
    SPTUNE_CUDA(cub::DeviceRadixSort::SortKeys(nullptr, bytes, keys, rows, 0, bits));
    DeviceBuffer<char> scratch(bytes ? bytes : 1);
    SPTUNE_CUDA(cub::DeviceRadixSort::SortKeys(scratch.data(), bytes, keys, rows, 0, bits));
    return std::move(keys.Current() == length.data() ? length : other);
}

template <class P>
DeviceBuffer<index_t> order_by_length(const P* row_ptr, index_t rows, index_t longest) {
    DeviceBuffer<std::uint32_t> missing(static_cast<std::size_t>(rows));
    DeviceBuffer<index_t> row(static_cast<std::size_t>(rows));
    if (rows == 0) return row;
    list_missing<<<blocks_for(rows, kThreads), kThreads>>>(row_ptr, rows, longest, missing.data(),
                                                           row.data());
    SPTUNE_CUDA_LAUNCHED("list_missing");
    sort_by_key(missing, row, bits_for(static_cast<std::uint64_t>(longest)));
    return row;
}

#define SPTUNE_INSTANTIATE_ROW_LENGTHS(P)                                            \
    template DeviceBuffer<std::uint32_t> sorted_lengths(const P*, index_t, index_t); \
    template DeviceBuffer<index_t> order_by_length(const P*, index_t, index_t);
SPTUNE_INSTANTIATE_ROW_LENGTHS(std::int32_t)
SPTUNE_INSTANTIATE_ROW_LENGTHS(std::int64_t)

}  // namespace sptune::cuda
