// How much of A the L2 cache holds from one call to the next.
#pragma once

#include "kernels/spmv/kernel.hpp"

namespace sptune::cuda {

/// The share of the blocks that leave what they read of A in the cache (see MatrixLoad), in 2^32nds
/// less one: all of them where A, x and y fit, which have `vector_bytes`, else those whose part of
/// A fits beside the vectors.
unsigned kept_share(const Storage& a, std::uint64_t vector_bytes);

template <class T>
unsigned kept_share(const Storage& a, index_t rows, index_t cols) {
    return kept_share(
        a, (static_cast<std::uint64_t>(rows) + static_cast<std::uint64_t>(cols)) * sizeof(T));
}

}  // namespace sptune::cuda
