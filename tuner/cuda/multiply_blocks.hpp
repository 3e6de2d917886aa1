// A product of block matrices on a GPU. In a build without CUDA it says so.
#pragma once

#include "tuner/multiply_blocks.hpp"

namespace sptune::tuner {

/// As multiply_block_matrices() for Backend::cuda.
template <class V>
MultipliedBlocks<V> multiply_blocks_cuda(const BlockCsr<V>& a, const BlockCsr<V>& b,
                                         BlockSearch search);

/// As multiply_block_tiles().
template <class V>
MultipliedBlocks<V> multiply_tiles_cuda(const BlockCsr<V>& a, const BlockCsr<V>& b);

}  // namespace sptune::tuner
