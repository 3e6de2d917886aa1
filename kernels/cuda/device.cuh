// What every CUDA kernel that multiplies uses on the device.
#pragma once

#include "matrix/cuda/device.cuh"

namespace sptune::cuda {

/// y = αs + βy; β = 0 never reads y.
template <class T>
struct Epilogue {
    T alpha, beta;

    __device__ void store(T sum, T* y) const {
        *y = beta == T{0} ? alpha * sum : alpha * sum + beta * *y;
    }
};

/// Lets a kernel started with launch_early() begin as soon as every block of this one has.
__device__ __forceinline__ void let_next_begin() {
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// In a kernel started with launch_early(): until the one before it has ended and what it wrote can
/// be seen. To be called before the first access to that.
__device__ __forceinline__ void wait_for_previous() {
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

/// An entry of x: read often, and not written while the kernel runs.
template <class T>
__device__ __forceinline__ T gather(const T* x, std::int64_t j) {
    return __ldg(x + j);
}

}  // namespace sptune::cuda
