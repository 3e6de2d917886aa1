// Matrices as text, for comparisons that read well.
#pragma once

#include "matrix/csr.hpp"

#include <string>

#include <fmt/format.h>

/// "2x3 (0,1)=5 (1,0)=-2"
template <class T, class P>
std::string text_of(const sptune::Csr<T, P>& m) {
    std::string text = fmt::format("{}x{}", m.rows, m.cols);
    for (sptune::index_t r = 0; r < m.rows; ++r)
        for (P i = m.row_ptr[static_cast<std::size_t>(r)];
             i < m.row_ptr[static_cast<std::size_t>(r) + 1]; ++i) {
            const auto at = static_cast<std::size_t>(i);
            text += fmt::format(" ({},{})={}", r, m.col_idx[at], m.values[at]);
        }
    return text;
}
