#include "tuner/multiply_blocks.hpp"

#include "tuner/cuda/multiply_blocks.hpp"
#include "tuner/measure.hpp"

#include <type_traits>

namespace sptune::tuner {

template <class V>
MultipliedBlocks<V> multiply_block_matrices(const BlockCsr<V>& a, const BlockCsr<V>& b,
                                            Backend backend, BlockSearch search, int threads) {
    using Math = std::conditional_t<std::is_same_v<V, std::uint32_t>, SaturatingMath, PlainMath<V>>;
    if (backend == Backend::cuda) return multiply_blocks_cuda(a, b, search);
    MultipliedBlocks<V> out;
    const double start = steady_us();
    out.c = multiply_blocks<Math>(a, b, search, false, threads);
    out.multiply_us = steady_us() - start;
    return out;
}

template <class V>
MultipliedBlocks<V> multiply_block_tiles(const BlockCsr<V>& a, const BlockCsr<V>& b) {
    return multiply_tiles_cuda(a, b);
}

#define SPTUNE_INSTANTIATE(V)                                                                    \
    template MultipliedBlocks<V> multiply_block_matrices(const BlockCsr<V>&, const BlockCsr<V>&, \
                                                         Backend, BlockSearch, int);             \
    template MultipliedBlocks<V> multiply_block_tiles(const BlockCsr<V>&, const BlockCsr<V>&);
SPTUNE_INSTANTIATE(float)
SPTUNE_INSTANTIATE(double)
SPTUNE_INSTANTIATE(std::uint32_t)
#undef SPTUNE_INSTANTIATE

}  // namespace sptune::tuner
