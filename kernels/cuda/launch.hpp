// How the host starts kernels that multiply.
#pragma once

#include "kernels/spmv/kernel.hpp"
#include "matrix/cuda/launch.hpp"

#include <utility>

namespace sptune::cuda {

inline cudaStream_t stream_of(const Launch& launch) {
    return static_cast<cudaStream_t>(launch.stream);
}

/// As of matrix/cuda/launch.hpp, in the stream of this call: hides the gap between two kernels that
/// belong together.
template <class... Params, class... Args>
void launch_early(void (*kernel)(Params...), unsigned blocks, unsigned threads,
                  const Launch& launch, Args&&... args) {
    launch_early(kernel, dim3(blocks), threads, stream_of(launch), std::forward<Args>(args)...);
}

}  // namespace sptune::cuda
