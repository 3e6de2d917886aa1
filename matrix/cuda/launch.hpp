// Kernels that begin before the one before them has ended.
#pragma once

#include "matrix/cuda/check.hpp"
#include "matrix/cuda/grid.hpp"

#include <cstddef>
#include <utility>

namespace sptune::cuda {

/// How many blocks of how many threads, and their dynamic shared memory in bytes.
struct LaunchShape {
    dim3 blocks;
    unsigned threads;
    std::size_t shared_bytes = 0;
};

/// Starts a kernel that may begin before the one before it in the stream has ended: as soon as all
/// of its blocks have, or have called let_next_begin(). Even the former saves 0.2 us on the GPU and
/// 0.7 us of a program's loop (bench/results/2026-11-28-launches.md). This one calls
/// wait_for_previous(); where it needs nothing of the others, end_after_previous() does, and they
/// run side by side. One of them it has to be: what comes next in the stream, perhaps another
/// thread's, relies on this one not to end before those before it. An ordinary launch on GPUs
/// before compute capability 9.0.
template <class... Params, class... Args>
void launch_early(void (*kernel)(Params...), const LaunchShape& shape, cudaStream_t stream,
                  Args&&... args) {
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = shape.blocks;
    config.blockDim = dim3(shape.threads);
    config.dynamicSmemBytes = shape.shared_bytes;
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = early_launch_works() ? 1 : 0;
    SPTUNE_CUDA(cudaLaunchKernelEx(&config, kernel, static_cast<Params>(args)...));
}
template <class... Params, class... Args>
void launch_early(void (*kernel)(Params...), dim3 blocks, unsigned threads, cudaStream_t stream,
                  Args&&... args) {
    launch_early(kernel, LaunchShape{blocks, threads}, stream, std::forward<Args>(args)...);
}

}  // namespace sptune::cuda
