// How the host starts kernels.
#pragma once

#include "kernels/spmv/kernel.hpp"
#include "matrix/cuda/check.hpp"
#include "matrix/cuda/grid.hpp"

#include <utility>

namespace sptune::cuda {

inline cudaStream_t stream_of(const Launch& launch) {
    return static_cast<cudaStream_t>(launch.stream);
}

/// Starts a kernel that may begin before the one before it in the stream has ended, which has to
/// call let_next_begin() for that; this one calls wait_for_previous(). Hides the gap between two
/// kernels that belong together; an ordinary launch on GPUs before compute capability 9.0.
template <class... Params, class... Args>
void launch_early(void (*kernel)(Params...), unsigned blocks, unsigned threads, Launch launch,
                  Args&&... args) {
    cudaLaunchAttribute early{};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(blocks);
    config.blockDim = dim3(threads);
    config.stream = stream_of(launch);
    config.attrs = &early;
    config.numAttrs = early_launch_works() ? 1 : 0;
    SPTUNE_CUDA(cudaLaunchKernelEx(&config, kernel, static_cast<Params>(args)...));
}

}  // namespace sptune::cuda
