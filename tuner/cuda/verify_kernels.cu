#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.hpp"
#include "tuner/cuda/verify_kernels.hpp"

#include <limits>

namespace sptune::tuner::cuda {
namespace {

using sptune::cuda::blocks_for;
using sptune::cuda::global_thread;
using sptune::cuda::warp_max;

constexpr int kThreads = 256;

template <class T>
__global__ void prepare_y_kernel(const T* y0, bool poison, T nan, T* y, std::int64_t rows) {
    const std::int64_t i = global_thread();
    if (i < rows) y[i] = poison ? nan : y0[i];
}

template <class T>
__global__ void find_worst_kernel(const T* y, const T* y0, const double* reference,
                                  const double* bound, Tolerance tolerance, std::int64_t rows,
                                  unsigned long long* worst) {
    const std::int64_t i = global_thread();
    unsigned long long mine = 0;
    if (i < rows) {
        const double old = y0[i], limit = tolerance.allowed(bound[i], old);
        float error = 0;
        if (isfinite(limit))
            error = static_cast<float>(
                fabs(static_cast<double>(y[i]) - tolerance.expected(reference[i], old)) / limit);
        if (!isfinite(error)) error = 3.4e38f;  // NaN too; finite, so that it can be stored
        mine = static_cast<unsigned long long>(__float_as_uint(error)) << 32 |
               (0xffffffffu - static_cast<unsigned>(i));
    }
    mine = warp_max(mine);
    if (threadIdx.x % 32 == 0 && mine > 0) atomicMax(worst, mine);
}

}  // namespace

template <class T>
void prepare_y(const T* y0, bool poison, T* y, std::int64_t rows, cudaStream_t stream) {
    if (rows == 0) return;
    prepare_y_kernel<<<blocks_for(rows, kThreads), kThreads, 0, stream>>>(
        y0, poison, std::numeric_limits<T>::quiet_NaN(), y, rows);
    SPTUNE_CUDA_LAUNCHED("prepare_y");
}

template <class T>
void find_worst(const T* y, const T* y0, const double* reference, const double* bound,
                Tolerance tolerance, std::int64_t rows, unsigned long long* worst,
                cudaStream_t stream) {
    if (rows == 0) return;
    find_worst_kernel<<<blocks_for(rows, kThreads), kThreads, 0, stream>>>(y, y0, reference, bound,
                                                                           tolerance, rows, worst);
    SPTUNE_CUDA_LAUNCHED("find_worst");
}

#define SPTUNE_INSTANTIATE(T)                                                             \
    template void prepare_y(const T*, bool, T*, std::int64_t, cudaStream_t);              \
    template void find_worst(const T*, const T*, const double*, const double*, Tolerance, \
                             std::int64_t, unsigned long long*, cudaStream_t);
SPTUNE_INSTANTIATE(float)
SPTUNE_INSTANTIATE(double)
#undef SPTUNE_INSTANTIATE

}  // namespace sptune::tuner::cuda
