// How the host starts kernels.
#pragma once

#include "kernels/spmv/kernel.hpp"
#include "matrix/cuda/check.hpp"

#include <cstdint>

namespace sptune::cuda {

inline cudaStream_t stream_of(const Launch& launch) {
    return static_cast<cudaStream_t>(launch.stream);
}

/// Blocks that give each of `work` pieces one of the `each` places of a block. At most 2^31 - 1,
/// which 32-bit row numbers cannot pass with 32 or fewer threads per row and blocks of 64 or more.
inline unsigned blocks_for(std::int64_t work, int each) {
    return static_cast<unsigned>((work + each - 1) / each);
}

/// Streaming multiprocessors of the current device; asked once.
int multiprocessors();

}  // namespace sptune::cuda
