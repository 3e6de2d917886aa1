// Compressed sparse row: the interchange format of the house. Every other format is converted
// from it.
#pragma once

#include "matrix/buffer.hpp"
#include "matrix/types.hpp"

#include <cstdint>

namespace sptune {

/// Non-owning CSR over the caller's memory, on the host or on a device. T: float or double; P:
/// std::int32_t or std::int64_t. row_ptr has rows + 1 entries, starts at 0, never decreases;
/// col_idx and values have nnz. Columns lie in [0, cols). Columns need not be sorted in a row
/// unless a function says so.
template <class T, class P = std::int32_t>
struct CsrView {
    index_t rows = 0;
    index_t cols = 0;
    const P* row_ptr = nullptr;
    const index_t* col_idx = nullptr;
    const T* values = nullptr;
    P entries = -1;  ///< needed where row_ptr lies in device memory; -1: it is read there

    P nnz() const { return rows == 0 ? P{0} : entries >= 0 ? entries : row_ptr[rows]; }
};

/// Owning CSR. What sptune itself makes (readers, generators, conversions) has the columns of each
/// row sorted in increasing order and no duplicates.
template <class T, class P = std::int32_t>
struct Csr {
    index_t rows = 0;
    index_t cols = 0;
    Buffer<P> row_ptr;
    Buffer<index_t> col_idx;
    Buffer<T> values;

    P nnz() const { return rows == 0 ? P{0} : row_ptr[static_cast<std::size_t>(rows)]; }
    CsrView<T, P> view() const {
        return {rows, cols, row_ptr.data(), col_idx.data(), values.data()};
    }
};

/// Compressed sparse column; col_ptr has cols + 1 entries, rows of a column are sorted.
template <class T, class P = std::int32_t>
struct Csc {
    index_t rows = 0;
    index_t cols = 0;
    Buffer<P> col_ptr;
    Buffer<index_t> row_idx;
    Buffer<T> values;

    P nnz() const { return cols == 0 ? P{0} : col_ptr[static_cast<std::size_t>(cols)]; }
};

/// Coordinate format: nnz (row, column, value) triplets in any order, duplicates allowed.
template <class T>
struct Coo {
    index_t rows = 0;
    index_t cols = 0;
    Buffer<index_t> row_idx;
    Buffer<index_t> col_idx;
    Buffer<T> values;

    std::size_t nnz() const { return values.size(); }
};

}  // namespace sptune
