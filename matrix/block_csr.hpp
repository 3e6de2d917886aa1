// Sparse matrices of small dense square blocks.
#pragma once

#include "matrix/buffer.hpp"
#include "matrix/csr.hpp"
#include "matrix/types.hpp"

#include <cstdint>

namespace sptune {

/// Blocks of m × m on a fixed grid; what sticks out over the last row or column is 0. V: float,
/// double or std::uint32_t.
template <class V>
struct BlockCsr {
    int m = 1;
    index_t rows = 0, cols = 0;     ///< of the matrix, not of the grid
    Buffer<std::int64_t> ptr;       ///< block rows + 1
    Buffer<index_t> col;            ///< block column of each block, increasing in a block row
    Buffer<V> values;               ///< m · m of each block, row by row
    Buffer<std::uint32_t> pattern;  ///< m of each block: bit c of entry r: (r, c) is stored

    index_t block_rows() const { return grid(rows); }
    index_t block_cols() const { return grid(cols); }
    std::int64_t blocks() const { return ptr.empty() ? 0 : ptr[ptr.size() - 1]; }
    std::uint64_t bytes() const {
        return ptr.bytes() + col.bytes() + values.bytes() + pattern.bytes();
    }

  private:
    index_t grid(index_t n) const { return static_cast<index_t>((std::int64_t{n} + m - 1) / m); }
};

/// The entries that are not 0; columns are sorted. Throws OutOfMemory, and Error where P cannot
/// count them.
template <class T, class P, class V>
Csr<T, P> csr_of_blocks(const BlockCsr<V>& matrix);

}  // namespace sptune
