#include "features/wide_loops.hpp"

#include "features/clones.hpp"
#include "features/fingerprint.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace sptune {
namespace {

template <class P>
std::int64_t count_falls(const P* row_ptr, std::int64_t first, std::int64_t last) {
    std::int64_t falls = 0;
    for (std::int64_t i = first; i < last; ++i) falls += row_ptr[i] > row_ptr[i + 1];
    return falls;
}

/// Rows first, each as wide as a store, whatever its length: where lengths vary, the end of a short
/// loop is mispredicted, which costs more than all its entries.
template <class P>
[[gnu::always_inline]] inline std::uint64_t diagonals_and_distance(
    const P* row_ptr, const index_t* col_idx, std::int64_t rows, std::int64_t first,
    std::int64_t last, std::uint32_t* diagonal) {
    const P begin = row_ptr[first], count = row_ptr[last] - begin;
    for (std::int64_t i = first; i < last; ++i) {
        std::uint32_t* const of_row = diagonal + (row_ptr[i] - begin);
        const auto row = static_cast<std::uint32_t>(i);
        for (std::size_t j = 0; j < kWrittenBeyond; ++j) of_row[j] = row;
        const P length = row_ptr[i + 1] - row_ptr[i];
        if (length > static_cast<P>(kWrittenBeyond)) std::fill_n(of_row, length, row);
    }
    const auto shift = static_cast<std::uint32_t>(rows - 1);
    const index_t* const column = col_idx + begin;
    std::uint64_t distance = 0;
    for (P e = 0; e < count; ++e) {
        const index_t offset = column[e] - static_cast<index_t>(diagonal[e]);
        distance += static_cast<std::uint32_t>(offset < 0 ? -offset : offset);
        diagonal[e] = static_cast<std::uint32_t>(offset) + shift;
    }
    return distance;
}

/// Without a branch: what is read for an empty row is not used. Row 0 adds nothing.
template <class P>
[[gnu::always_inline]] inline RowStarts of_row_starts(const P* row_ptr, const index_t* col_idx,
                                                      std::int64_t first, std::int64_t last) {
    RowStarts sums;
    const P last_entry = row_ptr[last] - 1;
    if (row_ptr[first] > last_entry) return sums;
    for (std::int64_t i = std::max<std::int64_t>(first, 1); i < last; ++i) {
        const P at = std::min(row_ptr[i], last_entry);
        const bool occupied = row_ptr[i] < row_ptr[i + 1], before = row_ptr[i - 1] < row_ptr[i];
        const index_t column = col_idx[at];
        const index_t moved = column - col_idx[std::min(row_ptr[i - 1], last_entry)];
        const index_t left = static_cast<index_t>(i) - column;
        sums.profile += occupied & (left > 0) ? left : 0;
        sums.moves += occupied & before ? std::abs(moved) : 0;
        sums.pairs += occupied & before;
    }
    return sums;
}

template <class P>
[[gnu::always_inline]] inline LengthRange range_of_lengths(const P* row_ptr, std::int64_t first,
                                                           std::int64_t last) {
    P shortest = row_ptr[first + 1] - row_ptr[first], longest = shortest;
    for (std::int64_t i = first; i < last; ++i) {
        shortest = std::min(shortest, row_ptr[i + 1] - row_ptr[i]);
        longest = std::max(longest, row_ptr[i + 1] - row_ptr[i]);
    }
    return {shortest, longest};
}

template <class P>
[[gnu::always_inline]] inline std::int64_t of_neighbours(const P* row_ptr, std::int64_t first,
                                                         std::int64_t last) {
    std::int64_t sum = 0;
    for (std::int64_t i = std::max<std::int64_t>(first, 1); i < last; ++i)
        sum += std::abs((row_ptr[i + 1] - row_ptr[i]) - (row_ptr[i] - row_ptr[i - 1]));
    return sum;
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
bool any_descent(const index_t* col_idx, const std::uint8_t* starts, std::int64_t first,
                 std::int64_t last) {
    std::uint8_t any = 0;
    for (std::int64_t k = first + 1; k < last; ++k)
        any |= static_cast<std::uint8_t>((col_idx[k] < col_idx[k - 1]) & (starts[k - first] ^ 1));
    return any != 0;
}

SPTUNE_CLONES
RowStarts row_starts(const std::int32_t* row_ptr, const index_t* col_idx, std::int64_t first,
                     std::int64_t last) {
    return of_row_starts(row_ptr, col_idx, first, last);
}
SPTUNE_CLONES
RowStarts row_starts(const std::int64_t* row_ptr, const index_t* col_idx, std::int64_t first,
                     std::int64_t last) {
    return of_row_starts(row_ptr, col_idx, first, last);
}

SPTUNE_CLONES
LengthRange length_range(const std::int32_t* row_ptr, std::int64_t first, std::int64_t last) {
    return range_of_lengths(row_ptr, first, last);
}
SPTUNE_CLONES
LengthRange length_range(const std::int64_t* row_ptr, std::int64_t first, std::int64_t last) {
    return range_of_lengths(row_ptr, first, last);
}

SPTUNE_CLONES
std::int64_t neighbour_diff(const std::int32_t* row_ptr, std::int64_t first, std::int64_t last) {
    return of_neighbours(row_ptr, first, last);
}
SPTUNE_CLONES
std::int64_t neighbour_diff(const std::int64_t* row_ptr, std::int64_t first, std::int64_t last) {
    return of_neighbours(row_ptr, first, last);
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
std::uint64_t write_diagonals(const std::int32_t* row_ptr, const index_t* col_idx,
                              std::int64_t rows, std::int64_t first, std::int64_t last,
                              std::uint32_t* diagonal) {
    return diagonals_and_distance(row_ptr, col_idx, rows, first, last, diagonal);
}
SPTUNE_CLONES
std::uint64_t write_diagonals(const std::int64_t* row_ptr, const index_t* col_idx,
                              std::int64_t rows, std::int64_t first, std::int64_t last,
                              std::uint32_t* diagonal) {
    return diagonals_and_distance(row_ptr, col_idx, rows, first, last, diagonal);
}

SPTUNE_CLONES
void unite_words(std::uint64_t* into, const std::uint64_t* from, std::size_t count) {
    for (std::size_t w = 0; w < count; ++w) into[w] |= from[w];
}

SPTUNE_CLONES
BitCounts count_bits(const std::uint64_t* words, std::size_t count, std::uint64_t mask) {
    BitCounts sums;
    for (std::size_t w = 0; w < count; ++w) {
        sums.all += std::popcount(words[w]);
        sums.pairs += std::popcount((words[w] | words[w] >> 1) & mask);
    }
    return sums;
}

SPTUNE_CLONES
BitCounts count_low_bits(const std::uint64_t* words, std::size_t count) {
    constexpr std::uint64_t kLow = 0x0101010101010101u;
    constexpr std::size_t kBlock = 120;  // twice as many fit into a byte
    const auto sum_of_bytes = [](std::uint64_t w) {
        constexpr std::uint64_t kEven = 0x00ff00ff00ff00ffu;
        return static_cast<std::int64_t>(((w & kEven) + (w >> 8 & kEven)) * 0x0001000100010001u >>
                                         48);
    };
    BitCounts sums;
    for (std::size_t first = 0; first < count; first += kBlock) {
        const std::size_t last = std::min(count, first + kBlock);
        std::uint64_t all = 0, pairs = 0;
        for (std::size_t w = first; w < last; ++w) {
            all += (words[w] & kLow) + (words[w] >> 1 & kLow);
            pairs += (words[w] | words[w] >> 1) & kLow;
        }
        sums.all += sum_of_bytes(all);
        sums.pairs += sum_of_bytes(pairs);
    }
    return sums;
}

}  // namespace sptune
