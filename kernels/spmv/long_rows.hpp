// Rows so long that they are stored beside the slices of the others, entry by entry: in a slice
// they would pad their neighbours, and one thread would be busy with them while the others wait.
#pragma once

#include "kernels/parallel.hpp"
#include "matrix/buffer.hpp"
#include "matrix/csr.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace sptune {

/// Which rows these are. There are kMostLongRows at most, whose sums find room on a stack.
class LongRowRule {
  public:
    static constexpr int kMostLongRows = 1024;

    explicit LongRowRule(std::int64_t nnz)
        : least_(std::max(kLeast, nnz / kMostLongRows + 1)),
          always_(std::max(kLeastAlways, nnz / kShares)) {}

    /// Shorter ones are none.
    std::int64_t least() const { return least_; }

    /// The width of a slice of `c` rows that would have rows of these lengths: what is longer is
    /// stored beside it. The width with the fewest stored entries in all, those beside counted
    /// twice, so that rows that pad each other little stay together. `lengths` gets sorted.
    std::int64_t width(std::span<std::int64_t> lengths, int c) const {
        std::sort(lengths.begin(), lengths.end(), std::greater<>());
        std::int64_t best = lengths.empty() ? 0 : lengths[0], beside = 0, fewest = best * c;
        for (std::size_t out = 0; out < lengths.size() && lengths[out] >= least_; ++out) {
            beside += lengths[out];
            const std::int64_t next = out + 1 < lengths.size() ? lengths[out + 1] : 0;
            const std::int64_t stored = kBeside * beside + next * c;
            if (stored < fewest || lengths[out] >= always_) best = next, fewest = stored;
        }
        return best;
    }

  private:
    static constexpr std::int64_t kLeast = 256, kBeside = 2;
    /// More than a share of so many is too much for one thread, whatever it pads.
    static constexpr std::int64_t kShares = 256, kLeastAlways = 2048;

    std::int64_t least_, always_;
};

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
