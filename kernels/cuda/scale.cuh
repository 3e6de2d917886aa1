// y = βy, for kernels that then add to y.
#pragma once

#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.hpp"

namespace sptune::cuda {

namespace {  // each source has its own: docs/add-a-format.md

/// β = 0 never reads y.
template <class T>
__global__ void scale_kernel(index_t rows, T beta, T* y) {
    wait_for_previous();  // first: see let_next_begin()
    let_next_begin();
    const std::int64_t i = global_thread();
    if (i < rows) y[i] = beta == T{0} ? T{0} : beta * y[i];
}

constexpr int kScaleThreads = 256;

/// To be followed by a kernel started with launch_early() that waits before it reads x. (A is
/// there: conversions wait.)
template <class T>
void scale(index_t rows, T beta, T* y, Launch launch) {
    launch_early(scale_kernel<T>, blocks_for(rows, kScaleThreads), kScaleThreads, launch, rows,
                 beta, y);
}

/// The same for a kernel that reads x before it waits: this one begins after all others.
template <class T>
void scale_in_order(index_t rows, T beta, T* y, Launch launch) {
    scale_kernel<<<blocks_for(rows, kScaleThreads), kScaleThreads, 0, stream_of(launch)>>>(rows,
                                                                                           beta, y);
    SPTUNE_CUDA_LAUNCHED("scale");
}

}  // namespace
}  // namespace sptune::cuda
