// The axes that several CUDA kernels share. Those of one kernel alone stand beside it.
#pragma once

#include "kernels/axes.hpp"

namespace sptune::cuda {

/// threads of a block
struct block {
    static constexpr const char* name = "b";
};
/// threads that share a row
struct row_threads {
    static constexpr const char* name = "t";
};
/// entries of each thread
struct items {
    static constexpr const char* name = "i";
};
/// independent loads in flight
struct unroll {
    static constexpr const char* name = "u";
};

using Blocks = axis<block, 64, 128, 256, 512, 1024>;

}  // namespace sptune::cuda
