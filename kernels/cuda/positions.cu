#include "kernels/cuda/primitives.hpp"
#include "matrix/cuda/scratch.hpp"

#include <cub/device/device_select.cuh>
#include <thrust/iterator/counting_iterator.h>

namespace sptune::cuda {

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
