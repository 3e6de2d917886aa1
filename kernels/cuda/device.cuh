// What every CUDA kernel that multiplies uses on the device.
#pragma once

#include "matrix/cuda/device.cuh"

namespace sptune::cuda {

/// Threads and blocks that a multiprocessor of the architecture being compiled for holds; on the
/// host, the most of any. ptxas refuses bounds that ask for more.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || \
    __CUDA_ARCH__ == 1000 || __CUDA_ARCH__ == 1030
inline constexpr int kResidentThreads = 2048, kResidentBlocks = 32;
#else
inline constexpr int kResidentThreads = 1536, kResidentBlocks = 16;
#endif
/// Blocks of 1024 threads that it holds, for __launch_bounds__. Some kernels get better code with
/// this bound, with as many registers as without; others get worse:
/// bench/results/2026-11-26-registers.md.
inline constexpr int kFullBlocks = kResidentThreads / 1024;

/// y = αs + βy; β = 0 never reads y.
template <class T>
struct Epilogue {
    T alpha, beta;

    __device__ void store(T sum, T* y) const {
        *y = beta == T{0} ? alpha * sum : alpha * sum + beta * *y;
    }
};

/// An entry of x: read often, and not written while the kernel runs.
template <class T>
__device__ __forceinline__ T gather(const T* x, std::int64_t j) {
    return __ldg(x + j);
}

}  // namespace sptune::cuda
