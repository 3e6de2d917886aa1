#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/row_lengths.hpp"
#include "kernels/cuda/sort.hpp"
#include "matrix/cuda/scratch.hpp"

#include <cub/device/device_radix_sort.cuh>

namespace sptune::cuda {
namespace {

constexpr int kThreads = 256;

template <class P>
__global__ void list_lengths(const P* row_ptr, index_t rows, std::uint32_t* length) {
    const std::int64_t i = global_thread();
    if (i < rows) length[i] = static_cast<std::uint32_t>(row_ptr[i + 1] - row_ptr[i]);
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
    with_scratch([&](void* scratch, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortKeys(scratch, bytes, keys, rows, 0, bits);
    });
    return std::move(keys.Current() == length.data() ? length : other);
}

template DeviceBuffer<std::uint32_t> sorted_lengths(const std::int32_t*, index_t, index_t);
template DeviceBuffer<std::uint32_t> sorted_lengths(const std::int64_t*, index_t, index_t);

}  // namespace sptune::cuda
