// What of the whole pass every entry adds to: distances to the diagonal and occupied diagonals; and
// what every row does by its smallest column.
#pragma once

#include "features/whole_pass.hpp"
#include "features/wide_loops.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace sptune {

/// Whether the rows [first, last) are all so long. A loop without a branch: it takes wide
/// registers.
template <class P>
bool all_of_length(const P* row_ptr, std::int64_t first, std::int64_t last, P length) {
    P other = 0;
    for (std::int64_t i = first; i < last; ++i) other |= (row_ptr[i + 1] - row_ptr[i]) ^ length;
    return other == 0;
}

/// Rows [first, last) of `rows`.
template <class P>
struct RowsOfEntries {
    const P* row_ptr;
    const index_t* col_idx;
    std::int64_t rows, first, last;

    P length(std::int64_t i) const { return row_ptr[i + 1] - row_ptr[i]; }
};

/// Have the rows [i, last) all the diagonals of row i - 1, which is not empty?
template <class P>
bool repeat(const RowsOfEntries<P>& a, std::int64_t i, std::int64_t last) {
    const P length = a.length(i - 1), begin = a.row_ptr[i];
    return length > 0 && all_of_length(a.row_ptr, i, last, length) &&
           a.col_idx[begin] == a.col_idx[begin - length] + 1 &&
           all_moved_by_one(a.col_idx, begin, a.row_ptr[last], length);
}

/// Marks the diagonals of the rows [first, last). Returns Σ |column - row|.
template <class Mark, class P>
wide_sum mark_diagonals(const RowsOfEntries<P>& a, std::int64_t first, std::int64_t last,
                        Mark mark) {
    constexpr std::int64_t kPiece = 4096;
    std::array<std::uint32_t, kPiece + kWrittenBeyond> diagonal;
    wide_sum distances = 0;
    for (std::int64_t i = first; i < last;) {
        const P begin = a.row_ptr[i];
        std::int64_t end =
            std::upper_bound(a.row_ptr + i, a.row_ptr + last + 1, std::int64_t{begin} + kPiece) -
            a.row_ptr - 1;
        if (end > i) {
            distances += write_diagonals(a.row_ptr, a.col_idx, a.rows, i, end, diagonal.data());
            const auto count = static_cast<std::size_t>(a.row_ptr[end] - begin);
            for (std::size_t e = 0; e < count; ++e) mark(diagonal[e]);
        } else {  // one row that is longer than a piece
            end = i + 1;
            for (P k = begin; k < a.row_ptr[end]; ++k) {
                const std::int64_t offset = a.col_idx[k] - i;
                distances += static_cast<std::uint64_t>(std::abs(offset));
                mark(static_cast<std::uint64_t>(offset + a.rows - 1));
            }
        }
        i = end;
    }
    return distances;
}

/// The same of all rows; of those that repeat the one before only the first few are marked.
template <class Mark, class P>
wide_sum mark_new_diagonals(const RowsOfEntries<P>& a, Mark mark) {
    constexpr std::int64_t kRun = 16;
    wide_sum distances = 0;
    std::int64_t marked = a.first;  // what is before it need not be marked any more
    for (std::int64_t i = a.first + 1; i + kRun <= a.last; i += kRun) {
        if (!repeat(a, i, i + kRun)) continue;
        distances += mark_diagonals(a, marked, i, mark);
        marked = i + kRun;
        std::uint64_t distance = 0;
        for (P k = a.row_ptr[i - 1]; k < a.row_ptr[i]; ++k)
            distance += static_cast<std::uint64_t>(std::abs(a.col_idx[k] - (i - 1)));
        distances += kRun * wide_sum{distance};
    }
    return distances + mark_diagonals(a, marked, a.last, mark);
}

/// Do the columns of no row decrease?
template <class P>
bool sorted(const RowsOfEntries<P>& a) {
    constexpr std::int64_t kPiece = 4096;
    std::array<std::uint8_t, kPiece + 1> starts;
    for (std::int64_t i = a.first; i < a.last;) {
        const P begin = a.row_ptr[i];
        std::int64_t end =
            std::upper_bound(a.row_ptr + i, a.row_ptr + a.last + 1, std::int64_t{begin} + kPiece) -
            a.row_ptr - 1;
        if (end > i) {
            std::fill_n(starts.begin(), a.row_ptr[end] - begin + 1, std::uint8_t{0});
            for (std::int64_t row = i; row < end; ++row)
                starts[static_cast<std::size_t>(a.row_ptr[row] - begin)] = 1;
            if (any_descent(a.col_idx, starts.data(), begin, a.row_ptr[end])) return false;
        } else {  // one row that is longer than a piece
            end = i + 1;
            if (!std::is_sorted(a.col_idx + begin, a.col_idx + a.row_ptr[end])) return false;
        }
        i = end;
    }
    return true;
}

/// By the smallest columns of rows of which some are not sorted.
template <class P>
RowStarts unsorted_starts(const RowsOfEntries<P>& a) {
    RowStarts sums;
    const auto smallest = [&](std::int64_t i) {
        return std::int64_t{
            *std::min_element(a.col_idx + a.row_ptr[i], a.col_idx + a.row_ptr[i + 1])};
    };
    bool known = a.first > 0 && a.length(a.first - 1) > 0;
    std::int64_t before = known ? smallest(a.first - 1) : 0;
    for (std::int64_t i = a.first; i < a.last; ++i) {
        const bool occupied = a.length(i) > 0;
        const std::int64_t column = occupied ? smallest(i) : 0;
        if (occupied) sums.profile += std::max<std::int64_t>(0, i - column);
        if (occupied && known) sums.moves += std::abs(column - before), ++sums.pairs;
        known = occupied;
        before = column;
    }
    return sums;
}

/// `mark` notes a diagonal.
template <class Mark, class P>
void add_entries(const RowsOfEntries<P>& a, bool sorted, Mark mark, WholePass& out) {
    out.rows += a.last - a.first;
    out.entries += a.row_ptr[a.last] - a.row_ptr[a.first];
    out.distance += mark_new_diagonals(a, mark);
    const RowStarts starts =
        sorted ? row_starts(a.row_ptr, a.col_idx, a.first, a.last) : unsorted_starts(a);
    out.profile += starts.profile;
    out.first_moves += starts.moves;
    out.first_pairs += starts.pairs;
}

}  // namespace sptune
