// How many blocks a kernel takes.
#pragma once

#include <cstdint>

namespace sptune::cuda {

/// Blocks that give each of `work` pieces one of the `each` places of a block. At most 2^31 - 1,
/// which 32-bit row numbers cannot pass with 32 or fewer threads per row and blocks of 64 or more.
inline unsigned blocks_for(std::int64_t work, int each) {
    return static_cast<unsigned>((work + each - 1) / each);
}

/// Streaming multiprocessors of the current device; each is asked once.
int multiprocessors();

/// Whether the current device runs code for compute capability 9.0 or newer; each is asked once.
bool has_code_for_90();

/// Whether it can start a kernel before the one before it has ended; each is asked once.
bool early_launch_works();

}  // namespace sptune::cuda
