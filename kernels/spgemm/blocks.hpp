// Sparse matrices of small dense square blocks, and their products on the CPU.
#pragma once

#include "matrix/block_csr.hpp"
#include "matrix/csr.hpp"

#include <cstdint>
#include <limits>

namespace sptune {

/// Blocks of each block row, summed up (block rows + 1), when `a` is cut into m × m.
template <class T, class P>
Buffer<std::int64_t> count_grid_blocks(CsrView<T, P> a, int m, int threads);

/// Cuts `a` into blocks, m from 1 to 32; columns may be in any order, duplicates are summed.
/// Throws OutOfMemory.
template <class T, class P>
BlockCsr<T> to_blocks(CsrView<T, P> a, int m, int threads);

/// Where the blocks of each block column are: what an intersection of rows and columns searches.
struct BlockColumns {
    Buffer<std::int64_t> ptr;    ///< block columns + 1
    Buffer<index_t> row;         ///< increasing in a block column
    Buffer<std::int64_t> block;  ///< its number in the BlockCsr
};
template <class V>
BlockColumns columns_of(const BlockCsr<V>& b);

/// How the pairs of blocks that meet are found: row of A by row of A, gathering rows of B; or for
/// every block of C by intersecting a block row of A with a block column of B, walking both
/// (two_pointers) or searching the longer for the entries of the shorter (binary).
enum class BlockSearch { rowwise = 1, two_pointers = 2, binary = 3 };

/// Plain sums in V, or min(sum, 2^32 - 1) over products that are added in 64 bits.
template <class T>
struct PlainMath {
    using Value = T;
    using Sum = T;
    static Sum add(Sum sum, Value a, Value b) { return sum + a * b; }
    static Value finish(Sum sum) { return sum; }
};
struct SaturatingMath {
    using Value = std::uint32_t;
    using Sum = std::uint64_t;
    static constexpr Sum kMost = std::numeric_limits<Value>::max();
    /// A product beyond kMost saturates the sum, whatever else is added: cut off at once, 2^32
    /// terms cannot pass 64 bits.
    static Sum add(Sum sum, Value a, Value b) {
        const Sum product = Sum{a} * b;
        return sum + (product < kMost ? product : kMost);
    }
    static Value finish(Sum sum) { return static_cast<Value>(sum < kMost ? sum : kMost); }
};

/// C = A·B; both have the same m of 2, 4, 8, 16 or 32, and a.cols == b.rows. A block of C exists
/// where any two blocks meet. With `dense` a whole block row of sums is kept instead of those that
/// occur. Math: PlainMath<float>, PlainMath<double> or SaturatingMath. Throws UsageError for
/// another m, OutOfMemory.
template <class Math>
BlockCsr<typename Math::Value> multiply_blocks(const BlockCsr<typename Math::Value>& a,
                                               const BlockCsr<typename Math::Value>& b,
                                               BlockSearch search, bool dense, int threads);

/// The same as a dense matrix, rows × cols, row by row.
template <class Math>
Buffer<typename Math::Value> multiply_blocks_dense(const BlockCsr<typename Math::Value>& a,
                                                   const BlockCsr<typename Math::Value>& b,
                                                   BlockSearch search, int threads);

}  // namespace sptune
