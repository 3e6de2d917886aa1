#include "kernels/cuda/primitives.hpp"
#include "kernels/cuda/scratch.hpp"

#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace sptune::cuda {
namespace {

template <class N>
std::int64_t scan(DeviceBuffer<N>& counts) {
    if (counts.empty()) return 0;
    const auto size = static_cast<std::int64_t>(counts.size());
    with_scratch([&](void* scratch, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveSum(scratch, bytes, counts.data(), counts.data(), size);
    });
    return counts.at(counts.size() - 1);
}

template <class N>
N largest(const N* numbers, std::int64_t size) {
    if (size == 0) return 0;
    DeviceBuffer<N> result(1);
    with_scratch([&](void* scratch, std::size_t& bytes) {
        return cub::DeviceReduce::Max(scratch, bytes, numbers, result.data(), size);
    });
    return result.at(0);
}

struct Widen {
    template <class N>
    __host__ __device__ std::int64_t operator()(N n) const {
        return n;
    }
};

template <class N>
std::int64_t total(const N* numbers, std::int64_t size) {
    if (size == 0) return 0;
    DeviceBuffer<std::int64_t> result(1);
    const auto wide = thrust::make_transform_iterator(numbers, Widen{});
    with_scratch([&](void* scratch, std::size_t& bytes) {
        return cub::DeviceReduce::Sum(scratch, bytes, wide, result.data(), size);
    });
    return result.at(0);
}

}  // namespace

std::int64_t counts_to_pointers(DeviceBuffer<std::int64_t>& counts) {
    return scan(counts);
}
std::int32_t counts_to_pointers(DeviceBuffer<std::int32_t>& counts) {
    if (counts.empty()) return 0;
    const std::int64_t sum = sum_of(counts.data(), static_cast<std::int64_t>(counts.size()) - 1);
    if (sum > std::numeric_limits<std::int32_t>::max())
        throw Error("the total of " + std::to_string(sum) + " does not fit into 32 bits");
    return static_cast<std::int32_t>(scan(counts));
}

std::int64_t max_of(const std::int64_t* numbers, std::int64_t size) {
    return largest(numbers, size);
}
std::int32_t max_of(const std::int32_t* numbers, std::int64_t size) {
    return largest(numbers, size);
}
std::int64_t sum_of(const std::int64_t* numbers, std::int64_t size) {
    return total(numbers, size);
}
std::int64_t sum_of(const std::int32_t* numbers, std::int64_t size) {
    return total(numbers, size);
}

DeviceBuffer<std::int64_t> positions_of(const std::uint8_t* flags, std::int64_t size) {
    if (size == 0) return {};
    DeviceBuffer<std::int64_t> found(static_cast<std::size_t>(size)), count(1);
    with_scratch([&](void* scratch, std::size_t& bytes) {
        return cub::DeviceSelect::Flagged(scratch, bytes,
                                          thrust::counting_iterator<std::int64_t>(0), flags,
                                          found.data(), count.data(), size);
    });
    DeviceBuffer<std::int64_t> exact(static_cast<std::size_t>(count.at(0)));
    if (!exact.empty())
        SPTUNE_CUDA(cudaMemcpyAsync(exact.data(), found.data(), exact.bytes(),
                                    cudaMemcpyDeviceToDevice, nullptr));
    return exact;
}

}  // namespace sptune::cuda
