// One product of block matrices, from and to host memory.
#pragma once

#include "kernels/spgemm/blocks.hpp"
#include "kernels/variant.hpp"

namespace sptune::tuner {

template <class V>
struct MultipliedBlocks {
    BlockCsr<V> c;
    double multiply_us = 0;  ///< from A and B to C in the memory of the backend
};

/// C = A·B in blocks: plain sums for float and double, saturating ones for std::uint32_t. Both
/// have the same m of 2, 4, 8, 16 or 32, and a.cols == b.rows. threads: of the CPU, 0: all. Throws
/// UsageError for other blocks, DeviceError, OutOfMemory with the bytes needed.
template <class V>
MultipliedBlocks<V> multiply_block_matrices(const BlockCsr<V>& a, const BlockCsr<V>& b,
                                            Backend backend, BlockSearch search, int threads);

/// The same for nearly dense matrices of 8 × 8 blocks on a GPU, by tensor cores. C is dense in the
/// device's memory when the time is taken; its blocks are picked out afterwards. Throws Error where
/// the GPU has no such cores.
template <class V>
MultipliedBlocks<V> multiply_block_tiles(const BlockCsr<V>& a, const BlockCsr<V>& b);

/// Its multiplications: m³ for every pair of blocks that meet.
template <class V>
double block_products(const BlockCsr<V>& a, const BlockCsr<V>& b) {
    double pairs = 0;
    for (const index_t row : a.col)
        pairs += static_cast<double>(b.ptr[static_cast<std::size_t>(row) + 1] -
                                     b.ptr[static_cast<std::size_t>(row)]);
    return pairs * a.m * a.m * a.m;
}

}  // namespace sptune::tuner
