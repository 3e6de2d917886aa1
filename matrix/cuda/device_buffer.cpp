#include "matrix/cuda/device_buffer.hpp"

#include "matrix/cuda/per_device.hpp"

namespace sptune {
namespace {

cudaMemPool_t pool() {
    static cuda::PerDevice<cudaMemPool_t> pools;
    return pools.get([] {
        cudaMemPool_t found = nullptr;
        SPTUNE_CUDA(cudaDeviceGetDefaultMemPool(&found, cuda::current_device()));
        std::uint64_t keep_all = std::numeric_limits<std::uint64_t>::max();
        SPTUNE_CUDA(cudaMemPoolSetAttribute(found, cudaMemPoolAttrReleaseThreshold, &keep_all));
        return found;
    });
}

}  // namespace

void* device_allocate(std::uint64_t bytes) {
    void* p = nullptr;
    cuda_check(cudaMallocFromPoolAsync(&p, bytes, pool(), nullptr), "cudaMallocFromPoolAsync",
               __FILE__, __LINE__, bytes);
    return p;
}

void device_free(void* p) noexcept {
    cudaFreeAsync(p, nullptr);
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
