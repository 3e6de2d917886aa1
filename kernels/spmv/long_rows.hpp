// The rows that features/long_rows.hpp tells apart, stored beside slices entry by entry.
#pragma once

#include "features/long_rows.hpp"
#include "kernels/parallel.hpp"
#include "matrix/buffer.hpp"
#include "matrix/csr.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sptune {

template <class T>
struct LongRows {
    Buffer<index_t> row;       ///< of A
    Buffer<std::int64_t> ptr;  ///< rows + 1
    Buffer<index_t> column;
    Buffer<T> values;

    LongRows() = default;
    /// Of rows[i] there are lengths[i] entries, to be filled in.
    LongRows(const std::vector<index_t>& rows, const std::vector<std::int64_t>& lengths) {
        if (rows.empty()) return;
        row = Buffer<index_t>(rows.size());
        ptr = Buffer<std::int64_t>(rows.size() + 1);
        ptr[0] = 0;
        for (std::size_t i = 0; i < rows.size(); ++i) {
            row[i] = rows[i];
            ptr[i + 1] = ptr[i] + lengths[i];
        }
        column = Buffer<index_t>(static_cast<std::size_t>(entries()));
        values = Buffer<T>(static_cast<std::size_t>(entries()));
    }

    index_t count() const { return static_cast<index_t>(row.size()); }
    std::int64_t entries() const { return count() ? ptr[count()] : 0; }
    std::uint64_t bytes() const {
        return row.bytes() + ptr.bytes() + column.bytes() + values.bytes();
    }
    static std::uint64_t bytes_of(std::int64_t rows, std::int64_t entries) {
        return static_cast<std::uint64_t>(rows) * sizeof(index_t) +
               static_cast<std::uint64_t>(rows > 0 ? rows + 1 : 0) * sizeof(std::int64_t) +
               static_cast<std::uint64_t>(entries) * (sizeof(index_t) + sizeof(T));
    }
    /// The row that entry k belongs to.
    index_t row_of(std::int64_t k) const {
        return static_cast<index_t>(std::upper_bound(ptr.begin(), ptr.end(), k) - ptr.begin()) - 1;
    }
};

}  // namespace sptune
