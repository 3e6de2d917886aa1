// How CUB is called.
#pragma once

#include "matrix/cuda/device_buffer.hpp"

#include <cstddef>

namespace sptune::cuda {

/// CUB's two calls: ask for the scratch memory, then run.
template <class Run>
void with_scratch(Run run) {
    std::size_t bytes = 0;
    SPTUNE_CUDA(run(nullptr, bytes));
    DeviceBuffer<char> scratch(bytes ? bytes : 1);
    SPTUNE_CUDA(run(scratch.data(), bytes));
}

}  // namespace sptune::cuda
