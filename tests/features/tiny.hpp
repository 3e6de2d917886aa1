// Small matrices written out by hand.
#pragma once

#include "matrix/csr.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace sptune {

/// CSR in vectors; columns stay in the order given.
template <class T = double, class P = std::int32_t>
struct Tiny {
    index_t rows, cols;
    std::vector<P> row_ptr{0};
    std::vector<index_t> col_idx;
    std::vector<T> values;

    Tiny(index_t columns, const std::vector<std::vector<std::pair<index_t, double>>>& entries)
        : rows(static_cast<index_t>(entries.size())), cols(columns) {
        for (const auto& row : entries) {
            for (const auto& [column, value] : row) {
                col_idx.push_back(column);
                values.push_back(static_cast<T>(value));
            }
            row_ptr.push_back(static_cast<P>(col_idx.size()));
        }
    }
    CsrView<T, P> view() const {
        return {rows, cols, row_ptr.data(), col_idx.data(), values.data()};
    }
};

/// The same pattern with every value 1.
template <class T = double, class P = std::int32_t>
Tiny<T, P> pattern(index_t cols, const std::vector<std::vector<index_t>>& rows) {
    std::vector<std::vector<std::pair<index_t, double>>> entries;
    for (const auto& row : rows) {
        entries.emplace_back();
        for (const index_t c : row) entries.back().emplace_back(c, 1);
    }
    return {cols, entries};
}

}  // namespace sptune
