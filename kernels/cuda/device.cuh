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

/// An entry of x: read often, and not written while the kernel runs.
template <class T>
__device__ __forceinline__ T gather(const T* x, std::int64_t j) {
    return __ldg(x + j);
}

}  // namespace sptune::cuda
