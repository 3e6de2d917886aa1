#include "kernels/cuda/primitives.hpp"
#include "matrix/cuda/scratch.hpp"

#include <cub/device/device_reduce.cuh>
#include <thrust/iterator/transform_iterator.h>

namespace sptune::cuda {
namespace {

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

}  // namespace sptune::cuda
