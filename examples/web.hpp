// A made-up web for PageRank.
#pragma once

#include "common.hpp"

#include <algorithm>
#include <utility>

/// The largest size whose third power of pages has no more links than 32 bits count.
constexpr int kLargestWeb = 620;

/// A few of the pages attract most links; a row has the links of the page they start from.
inline Matrix web(int pages) {
    Matrix a;
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> uniform(0, 1);
    for (int i = 0; i < pages; ++i, a.end_row()) {
        std::vector<int> links;
        for (int k = 1 + static_cast<int>(9 * uniform(random)); k > 0; --k)
            links.push_back(static_cast<int>(pages * std::pow(uniform(random), 3)));
        std::sort(links.begin(), links.end());
        links.erase(std::unique(links.begin(), links.end()), links.end());
        for (const int link : links) a.add(link, 1.0 / static_cast<double>(links.size()));
    }
    return a;
}

inline Matrix transposed(const Matrix& a) {
    Matrix t;
    std::vector<std::vector<std::pair<int, double>>> rows(static_cast<std::size_t>(a.rows));
    for (int i = 0; i < a.rows; ++i)
        for (std::int32_t k = a.row_ptr[static_cast<std::size_t>(i)];
             k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
            rows[static_cast<std::size_t>(a.col_idx[static_cast<std::size_t>(k)])].push_back(
                {i, a.values[static_cast<std::size_t>(k)]});
    for (const auto& row : rows) {
        for (const auto& [column, value] : row) t.add(column, value);
        t.end_row();
    }
    return t;
}
