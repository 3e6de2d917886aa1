// Cutting rows into shares of equal work.
#pragma once

#include "kernels/parallel.hpp"
#include "matrix/types.hpp"

namespace sptune {

/// For whose sums a kernel has room on its stack.
inline constexpr int kMostShares = 1024;

/// First row of `part` when entries + row_cost per row are shared out evenly, whole rows only.
/// ptr has rows + 1 entries. Also serves slices: ptr then counts stored entries, row_cost is C.
template <class P>
index_t balanced_row(const P* ptr, index_t rows, int row_cost, int parts, int part) {
    if (part == 0 || rows == 0) return 0;  // without rows there may be no ptr
    if (part == parts) return rows;
    const std::int64_t target = part_begin(
        static_cast<std::int64_t>(ptr[rows]) + std::int64_t{rows} * row_cost, parts, part);
    index_t low = 0;
    // No branch on what is found, which no processor could predict: small matrices take as long.
    for (index_t left = rows; left > 0;) {
        const index_t half = left / 2, middle = low + half;
        const bool below =
            static_cast<std::int64_t>(ptr[middle]) + std::int64_t{middle} * row_cost < target;
        low = below ? middle + 1 : low;
        left = below ? left - half - 1 : half;
    }
    return low;
}

}  // namespace sptune
