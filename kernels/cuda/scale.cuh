// y = βy, for kernels that then add to y.
#pragma once

#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.hpp"

namespace sptune::cuda {

namespace {  // each source has its own: docs/add-a-format.md

/// β = 0 never reads y.
template <class T>
__global__ void scale_kernel(index_t rows, T beta, T* y) {
    wait_for_previous();  // first: whoever begins now relies on all that was before
    let_next_begin();
    const std::int64_t i = global_thread();
    if (i < rows) y[i] = beta == T{0} ? T{0} : beta * y[i];
}

/// To be followed by a kernel started with launch_early().
template <class T>
void scale(index_t rows, T beta, T* y, Launch launch) {
    constexpr int kThreads = 256;
    launch_early(scale_kernel<T>, blocks_for(rows, kThreads), kThreads, launch, rows, beta, y);
}

}  // namespace
}  // namespace sptune::cuda
