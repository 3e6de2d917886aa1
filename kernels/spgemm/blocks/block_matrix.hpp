// Block sparse matrices in the memory of the current GPU: m×m blocks on a fixed grid, a block
// stored whole where it holds any entry.
#pragma once

#include "matrix/csr.hpp"
#include "matrix/cuda/device_buffer.hpp"

#include <cstdint>

namespace sptune::cuda {

/// What kernels see of one. V: float, double, or std::uint32_t, whose arithmetic saturates.
template <class V>
struct BlockView {
    index_t rows, cols;              ///< in entries
    index_t block_rows, block_cols;  ///< the last ones may stick out
    const std::int64_t* row_ptr;     ///< block_rows + 1
    const index_t* col;              ///< of blocks, rising in a block row
    const V* values;                 ///< m·m of each block, row by row
};

template <class V>
struct BlockMatrix {
    int m = 0;
    index_t rows = 0, cols = 0;
    DeviceBuffer<std::int64_t> row_ptr;
    DeviceBuffer<index_t> col;
    DeviceBuffer<V> values;
    /// 1 where an entry is stored and 0 where its block was filled up; empty where all are stored.
    DeviceBuffer<V> stored;

    index_t block_rows() const { return rows / m + (rows % m != 0); }
    index_t block_cols() const { return cols / m + (cols % m != 0); }
    std::int64_t blocks() const { return static_cast<std::int64_t>(col.size()); }
    std::uint64_t bytes() const {
        return row_ptr.bytes() + col.bytes() + values.bytes() + stored.bytes();
    }
    BlockView<V> view() const { return view_of(values); }
    /// The pattern as a matrix of ones; the product of two patterns counts the products that fall
    /// on each position.
    BlockView<V> pattern() const { return view_of(stored); }

  private:
    BlockView<V> view_of(const DeviceBuffer<V>& v) const {
        return {rows, cols, block_rows(), block_cols(), row_ptr.data(), col.data(), v.data()};
    }
};

/// The same blocks by columns: what stands in block column j, rising by block row.
struct BlockColumns {
    DeviceBuffer<std::int64_t> col_ptr;  ///< block_cols + 1
    DeviceBuffer<index_t> row;
    DeviceBuffer<std::int64_t> block;  ///< its number in the matrix

    std::uint64_t bytes() const { return col_ptr.bytes() + row.bytes() + block.bytes(); }
};

/// Blocks a CSR matrix, columns in any order, 1 ≤ m ≤ 32. Scratch memory: 32 bytes for each entry.
/// Throws OutOfMemory.
template <class T, class P>
BlockMatrix<T> blocks_of(CsrView<T, P> a, int m);

/// How many blocks that would be. Throws OutOfMemory.
template <class T, class P>
std::int64_t count_blocks(CsrView<T, P> a, int m);

/// The same matrix in larger blocks; `m` is a multiple of the old size. All blocks count as stored
/// whole where they did before.
template <class V>
BlockMatrix<V> regroup(const BlockMatrix<V>& a, int m);

template <class V>
BlockColumns columns_of(const BlockMatrix<V>& a);

}  // namespace sptune::cuda
