// The reference of SpGEMM: one serial loop in f64, and what error bounds are made of.
#pragma once

#include "matrix/csr.hpp"

#include <cstdint>
#include <vector>

namespace sptune {

/// Rows [first_row, first_row + rows) of C = A·B. Columns are sorted; a position exists where any
/// product falls on it, whatever the sum is.
struct SpgemmReference {
    index_t first_row = 0;
    std::vector<std::int64_t> row_ptr;  ///< rows + 1, from 0
    std::vector<index_t> col_idx;
    std::vector<double> values;
    std::vector<double> magnitude;  ///< Σ |a_ik| |b_kj|
    std::vector<index_t> terms;     ///< how many products fell on it
};

/// A.cols == B.rows; columns in any order, duplicates count as separate terms. Throws
/// std::bad_alloc.
template <class T, class P>
SpgemmReference reference_spgemm(CsrView<T, P> a, CsrView<T, P> b, index_t first_row,
                                 index_t last_row);

/// All of C.
template <class T, class P>
SpgemmReference reference_spgemm(CsrView<T, P> a, CsrView<T, P> b) {
    return reference_spgemm(a, b, index_t{0}, a.rows);
}

}  // namespace sptune
