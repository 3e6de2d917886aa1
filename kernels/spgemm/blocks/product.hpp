// C = A·B over m×m blocks, m ∈ {2, 4, 8, 16, 32}: three ways to find the pairs of blocks, a dense C
// or one of blocks.
#pragma once

#include "kernels/spgemm/blocks/block_matrix.hpp"

namespace sptune::cuda {

enum class BlockWalk {
    merge,   ///< a block of C: block row of A against block column of B, two pointers
    search,  ///< a block of C: each block of A looked up in the block column of B by bisection
    rows,    ///< a block row of C: each block of A times the block row of B that it selects
};

/// Which blocks C has.
struct BlockPattern {
    DeviceBuffer<std::int64_t> row_ptr;
    DeviceBuffer<index_t> row, col;  ///< col rises in a block row

    std::uint64_t bytes() const { return row_ptr.bytes() + row.bytes() + col.bytes(); }
};

/// The blocks of A·B, by the three-pass product of the two patterns. Waits for the device. Throws
/// OutOfMemory where it would take more than `memory_bytes`.
template <class V>
BlockPattern pattern_of_product(const BlockMatrix<V>& a, const BlockMatrix<V>& b,
                                std::uint64_t memory_bytes = ~std::uint64_t{0});

/// Where the product goes.
template <class V>
struct BlockTarget {
    const BlockPattern* pattern;  ///< nullptr: c is A.rows × B.cols, dense and row-major
    V* c;                         ///< otherwise m·m for each block of the pattern, row by row
};

/// Writes all of the target, without waiting. `by_columns` is of B and may be nullptr for `rows`.
/// `patterns`: multiplies the ones and zeros of `stored` instead of the values.
template <class V>
void multiply_blocks(BlockWalk walk, const BlockMatrix<V>& a, const BlockMatrix<V>& b,
                     const BlockColumns* by_columns, bool patterns, BlockTarget<V> target);

}  // namespace sptune::cuda
