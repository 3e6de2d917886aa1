#include "matrix/cuda/device_buffer.hpp"

#include "matrix/cuda/on_device.hpp"
#include "matrix/cuda/per_device.hpp"

namespace sptune {
namespace {

/// One of our own: how much the device's default pool keeps is up to the program.
cudaMemPool_t pool() {
    static cuda::PerDevice<cudaMemPool_t> pools;
    return pools.get([] {
        cudaMemPoolProps properties{};
        properties.allocType = cudaMemAllocationTypePinned;
        properties.location = {cudaMemLocationTypeDevice, cuda::current_device()};
        cudaMemPool_t made = nullptr;
        SPTUNE_CUDA(cudaMemPoolCreate(&made, &properties));
        std::uint64_t keep_all = std::numeric_limits<std::uint64_t>::max();
        SPTUNE_CUDA(cudaMemPoolSetAttribute(made, cudaMemPoolAttrReleaseThreshold, &keep_all));
        return made;
    });
}

}  // namespace

void* device_allocate(std::uint64_t bytes) {
    void* p = nullptr;
    cuda_check(cudaMallocFromPoolAsync(&p, bytes, pool(), nullptr), "cudaMallocFromPoolAsync",
               __FILE__, __LINE__, bytes);
    return p;
}

// In the order of its own device's default stream, whichever device this thread is at.
void device_free(void* p) noexcept {
    cudaPointerAttributes attributes{};
    const bool known =
        cuda::device_count() > 1 && cudaPointerGetAttributes(&attributes, p) == cudaSuccess;
    const int before = cuda::go_to_device(known ? attributes.device : cuda::kAnyDevice);
    cudaFreeAsync(p, nullptr);
    cuda::go_to_device(before);
}

std::uint64_t device_available_memory() {
    std::size_t free = 0, total = 0;
    SPTUNE_CUDA(cudaMemGetInfo(&free, &total));
    std::uint64_t reserved = 0, used = 0;
    SPTUNE_CUDA(cudaMemPoolGetAttribute(pool(), cudaMemPoolAttrReservedMemCurrent, &reserved));
    SPTUNE_CUDA(cudaMemPoolGetAttribute(pool(), cudaMemPoolAttrUsedMemCurrent, &used));
    return free + (reserved - used);
}

}  // namespace sptune
