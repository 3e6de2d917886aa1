#include "features/wide_loops.hpp"

#include "features/clones.hpp"
#include "features/fingerprint.hpp"

#include <algorithm>
#include <bit>

namespace sptune {
namespace {

template <class P>
std::int64_t count_falls(const P* row_ptr, std::int64_t first, std::int64_t last) {
    std::int64_t falls = 0;
    for (std::int64_t i = first; i < last; ++i) falls += row_ptr[i] > row_ptr[i + 1];
    return falls;
}

}  // namespace

SPTUNE_CLONES
bool all_moved_by_one(const index_t* col_idx, std::int64_t first, std::int64_t last,
                      std::int64_t length) {
    index_t other = 0;
    for (std::int64_t k = first; k < last; ++k) other |= col_idx[k] - col_idx[k - length] - 1;
    return other == 0;
}

SPTUNE_CLONES
std::uint64_t hash_columns(const index_t* col_idx, std::int64_t first, std::int64_t last) {
    return column_terms(col_idx, first, last);
}

SPTUNE_CLONES
std::uint64_t hash_pointers(const std::int32_t* row_ptr, std::int64_t first, std::int64_t last) {
    return pointer_terms(row_ptr, first, last);
}
SPTUNE_CLONES
std::uint64_t hash_pointers(const std::int64_t* row_ptr, std::int64_t first, std::int64_t last) {
    return pointer_terms(row_ptr, first, last);
}

SPTUNE_CLONES
std::int64_t descents(const index_t* col_idx, std::int64_t first, std::int64_t last) {
    std::int64_t sum = 0;
    for (std::int64_t k = first + 1; k < last; ++k) sum += col_idx[k] < col_idx[k - 1];
    return sum;
}

SPTUNE_CLONES
std::uint32_t largest_column(const index_t* col_idx, std::int64_t first, std::int64_t last) {
    std::uint32_t largest = 0;
    for (std::int64_t k = first; k < last; ++k)
        largest = std::max(largest, static_cast<std::uint32_t>(col_idx[k]));
    return largest;
}

SPTUNE_CLONES
std::int64_t falls(const std::int32_t* row_ptr, std::int64_t first, std::int64_t last) {
    return count_falls(row_ptr, first, last);
}
SPTUNE_CLONES
std::int64_t falls(const std::int64_t* row_ptr, std::int64_t first, std::int64_t last) {
    return count_falls(row_ptr, first, last);
}

SPTUNE_CLONES
void unite_words(std::uint64_t* into, const std::uint64_t* from, std::size_t count) {
    for (std::size_t w = 0; w < count; ++w) into[w] |= from[w];
}

SPTUNE_CLONES
std::int64_t count_bits(const std::uint64_t* words, std::size_t count) {
    std::int64_t sum = 0;
    for (std::size_t w = 0; w < count; ++w) sum += std::popcount(words[w]);
    return sum;
}

}  // namespace sptune
