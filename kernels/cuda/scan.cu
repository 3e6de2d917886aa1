#include "kernels/cuda/primitives.hpp"
#include "matrix/cuda/scratch.hpp"
#include "matrix/error.hpp"

#include <limits>
#include <string>

#include <cub/device/device_scan.cuh>

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

}  // namespace sptune::cuda
