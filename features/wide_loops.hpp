// Loops over the arrays of a matrix that gain from wider registers (features/clones.hpp).
#pragma once

#include "matrix/types.hpp"

#include <cstddef>
#include <cstdint>

namespace sptune {

/// Whether each of col_idx[first, last) is one more than the one `length` places before it.
bool all_moved_by_one(const index_t* col_idx, std::int64_t first, std::int64_t last,
                      std::int64_t length);

/// The fingerprint's terms of col_idx[first, last).
std::uint64_t hash_columns(const index_t* col_idx, std::int64_t first, std::int64_t last);

/// The fingerprint's terms of row_ptr[first, last).
std::uint64_t hash_pointers(const std::int32_t* row_ptr, std::int64_t first, std::int64_t last);
std::uint64_t hash_pointers(const std::int64_t* row_ptr, std::int64_t first, std::int64_t last);

/// Whether a column in col_idx[first, last) is smaller than the one before it, other than where
/// starts[k - first] is 1 rather than 0.
bool any_descent(const index_t* col_idx, const std::uint8_t* starts, std::int64_t first,
                 std::int64_t last);

/// What the first entries of rows tell by their columns, which are the smallest ones of rows that
/// are sorted; empty rows have none.
struct RowStarts {
    std::int64_t profile = 0;  ///< Σ max(0, row - column)
    std::int64_t moves = 0;    ///< Σ |column(i) - column(i-1)| where row i - 1 is not empty either
    std::int64_t pairs = 0;    ///< of how many rows
};
RowStarts row_starts(const std::int32_t* row_ptr, const index_t* col_idx, std::int64_t first,
                     std::int64_t last);
RowStarts row_starts(const std::int64_t* row_ptr, const index_t* col_idx, std::int64_t first,
                     std::int64_t last);

/// Shortest and longest of the rows [first, last).
struct LengthRange {
    std::int64_t shortest, longest;
};
LengthRange length_range(const std::int32_t* row_ptr, std::int64_t first, std::int64_t last);
LengthRange length_range(const std::int64_t* row_ptr, std::int64_t first, std::int64_t last);

/// Σ |length(i) - length(i-1)| of the rows [first, last), without that of row 0.
std::int64_t neighbour_diff(const std::int32_t* row_ptr, std::int64_t first, std::int64_t last);
std::int64_t neighbour_diff(const std::int64_t* row_ptr, std::int64_t first, std::int64_t last);

/// The largest of col_idx[first, last), where negative ones count as large; 0 of none.
std::uint32_t largest_column(const index_t* col_idx, std::int64_t first, std::int64_t last);

/// How often row_ptr[i + 1] is smaller than row_ptr[i], for i in [first, last).
std::int64_t falls(const std::int32_t* row_ptr, std::int64_t first, std::int64_t last);
std::int64_t falls(const std::int64_t* row_ptr, std::int64_t first, std::int64_t last);

/// So many elements write_diagonals() needs room for beyond the entries.
inline constexpr std::size_t kWrittenBeyond = 16;

/// diagonal[e] = column - row + rows - 1 for the entries of the rows [first, last) in their order,
/// counted from the first of them; kWrittenBeyond elements after them change as well.
/// Returns Σ |column - row|.
std::uint64_t write_diagonals(const std::int32_t* row_ptr, const index_t* col_idx,
                              std::int64_t rows, std::int64_t first, std::int64_t last,
                              std::uint32_t* diagonal);
std::uint64_t write_diagonals(const std::int64_t* row_ptr, const index_t* col_idx,
                              std::int64_t rows, std::int64_t first, std::int64_t last,
                              std::uint32_t* diagonal);

/// into[w] |= from[w].
void unite_words(std::uint64_t* into, const std::uint64_t* from, std::size_t count);

/// Bits that are set in words[0, count), and how many of w | w >> 1 are that are set in `mask`.
struct BitCounts {
    std::int64_t all = 0, pairs = 0;
};
BitCounts count_bits(const std::uint64_t* words, std::size_t count, std::uint64_t mask);
/// The same with the lowest bit of each byte as the mask, where no others than the lowest two of a
/// byte are set: in a third of the time.
BitCounts count_low_bits(const std::uint64_t* words, std::size_t count);

}  // namespace sptune
