// Cutting rows into shares of equal work.
#pragma once

#include "kernels/parallel.hpp"
#include "matrix/types.hpp"

namespace sptune {

/// First row of `part` when entries + row_cost per row are shared out evenly, whole rows only.
/// ptr has rows + 1 entries. Also serves slices: ptr then counts stored entries, row_cost is C.
template <class P>
index_t balanced_row(const P* ptr, index_t rows, int row_cost, int parts, int part) {
    if (rows == 0) return 0;  // then there may be no ptr
    const std::int64_t target = part_begin(
        static_cast<std::int64_t>(ptr[rows]) + std::int64_t{rows} * row_cost, parts, part);
    index_t low = 0, high = rows;
    while (low < high) {
        const index_t middle = low + (high - low) / 2;
        if (static_cast<std::int64_t>(ptr[middle]) + std::int64_t{middle} * row_cost < target)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

}  // namespace sptune
