#include "matrix/cuda/device_buffer.hpp"

#include "matrix/cuda/memory_cache.hpp"
#include "matrix/cuda/per_device.hpp"
#include "matrix/lasting.hpp"

namespace sptune {
namespace {

cuda::MemoryCache& cache() {
    static auto& all = lasting<cuda::MemoryCache>();
    return all;
}

}  // namespace

void* device_allocate(std::uint64_t bytes) {
    return cache().allocate(bytes);
}

void device_free(void* p) noexcept {
    cache().release(p);
}

std::uint64_t device_available_memory() {
    std::size_t free = 0, total = 0;
    SPTUNE_CUDA(cudaMemGetInfo(&free, &total));
    return free + cache().bytes(cuda::current_device()).kept;
}

std::uint64_t device_peak_memory() {
    const int device = cuda::current_device();
    const std::uint64_t peak = cache().bytes(device).peak;
    cache().restart_peak(device);
    return peak;
}

}  // namespace sptune
