// How the host starts kernels.
#pragma once

#include "kernels/spmv/kernel.hpp"
#include "matrix/cuda/check.hpp"
#include "matrix/cuda/grid.hpp"

namespace sptune::cuda {

inline cudaStream_t stream_of(const Launch& launch) {
    return static_cast<cudaStream_t>(launch.stream);
}

}  // namespace sptune::cuda
