// Filling padded storage.
#pragma once

#include "matrix/csr.hpp"

#include <algorithm>
#include <cstdint>

namespace sptune {

/// Writes the first `width` entries of row `i` to values[place(j)], j = 0, 1, …, with their columns
/// less `base`, and pads what is missing with value 0 at the row's own last column, so that
/// padding touches only entries of x that the row needs anyway. Row i >= rows is all padding. No
/// values are written where `values` is null.
template <class T, class P, class I, class Place>
void fill_padded_row(CsrView<T, P> a, std::int64_t i, std::int64_t width, index_t base, T* values,
                     I* column, Place place) {
    const P first = i < a.rows ? a.row_ptr[i] : 0;
    const std::int64_t length =
        i < a.rows ? std::min<std::int64_t>(a.row_ptr[i + 1] - first, width) : 0;
    I last = 0;
    for (std::int64_t j = 0; j < length; ++j) {
        last = static_cast<I>(a.col_idx[first + j] - base);
        if (values) values[place(j)] = a.values[first + j];
        column[place(j)] = last;
    }
    for (std::int64_t j = length; j < width; ++j) {
        if (values) values[place(j)] = T{0};
        column[place(j)] = last;
    }
}

}  // namespace sptune
