#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.hpp"
#include "tuner/cuda/helper_kernels.hpp"

namespace sptune::tuner::cuda {
namespace {

__device__ std::uint64_t now_ns() {
    std::uint64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

__global__ void wait_kernel(int nanoseconds, float* mhz) {
    const std::uint64_t start = now_ns();
    const long long first_cycle = clock64();
    std::uint64_t passed = 0;
    while (passed < static_cast<std::uint64_t>(nanoseconds)) passed = now_ns() - start;
    *mhz = 1e3f * static_cast<float>(clock64() - first_cycle) / static_cast<float>(passed);
}

/// Sixteen bytes of each thread, four of them in flight.
__global__ void read_kernel(const uint4* data, std::size_t count, int passes, unsigned* sink) {
    const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
    const std::size_t first = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    for (int pass = 0; pass < passes; ++pass) {
        std::size_t i = first;
        for (; i + 3 * stride < count; i += 4 * stride) {
            const uint4 a = __ldcg(data + i), b = __ldcg(data + i + stride);
            const uint4 c = __ldcg(data + i + 2 * stride), d = __ldcg(data + i + 3 * stride);
            sum += a.x ^ a.y ^ a.z ^ a.w ^ b.x ^ b.y ^ b.z ^ b.w;
            sum += c.x ^ c.y ^ c.z ^ c.w ^ d.x ^ d.y ^ d.z ^ d.w;
        }
        for (; i < count; i += stride) {
            const uint4 a = __ldcg(data + i);
            sum += a.x ^ a.y ^ a.z ^ a.w;
        }
    }
    if (sum == 0x5eed5eedu && sink) *sink = sum;  // never, but the compiler cannot know
}

__global__ void empty_kernel() {
    sptune::cuda::wait_for_previous();
}

}  // namespace

void keep_busy(int nanoseconds, float* mhz, cudaStream_t stream) {
    wait_kernel<<<1, 1, 0, stream>>>(nanoseconds, mhz);
    SPTUNE_CUDA_LAUNCHED("wait_kernel");
}

void read_all(const void* data, std::size_t bytes, int passes, cudaStream_t stream) {
    constexpr int kThreads = 512, kBlocksEach = 4;
    read_kernel<<<static_cast<unsigned>(sptune::cuda::multiprocessors() * kBlocksEach), kThreads, 0,
                  stream>>>(static_cast<const uint4*>(data), bytes / sizeof(uint4), passes,
                            nullptr);
    SPTUNE_CUDA_LAUNCHED("read_kernel");
}

void empty_launch(bool early, cudaStream_t stream) {
    if (early) return sptune::cuda::launch_early(empty_kernel, dim3(1), 32, stream);
    empty_kernel<<<1, 32, 0, stream>>>();
    SPTUNE_CUDA_LAUNCHED("empty_kernel");
}

}  // namespace sptune::tuner::cuda
