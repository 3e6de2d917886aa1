// What every CUDA kernel that multiplies uses on the device.
#pragma once

#include "matrix/cuda/device.cuh"

namespace sptune::cuda {

/// Threads that a multiprocessor holds.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 800 || \
    (__CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200)
inline constexpr int kResidentThreads = 2048;
#elif __CUDA_ARCH__ == 750
inline constexpr int kResidentThreads = 1024;
#else
inline constexpr int kResidentThreads = 1536;
#endif
/// For __launch_bounds__ of kernels with blocks of up to 1024 threads: so many fill a
/// multiprocessor. Left to itself, the compiler takes as few registers for some kernels, but does
/// worse with them; others are slower for it: bench/results/2026-11-26-registers.md.
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
