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

/// How often a column is smaller than the one before it in col_idx[first, last).
std::int64_t descents(const index_t* col_idx, std::int64_t first, std::int64_t last);

/// The largest of col_idx[first, last), where negative ones count as large; 0 of none.
std::uint32_t largest_column(const index_t* col_idx, std::int64_t first, std::int64_t last);

/// How often row_ptr[i + 1] is smaller than row_ptr[i], for i in [first, last).
std::int64_t falls(const std::int32_t* row_ptr, std::int64_t first, std::int64_t last);
std::int64_t falls(const std::int64_t* row_ptr, std::int64_t first, std::int64_t last);

/// into[w] |= from[w].
void unite_words(std::uint64_t* into, const std::uint64_t* from, std::size_t count);

/// Bits that are set in words[0, count).
std::int64_t count_bits(const std::uint64_t* words, std::size_t count);

}  // namespace sptune
