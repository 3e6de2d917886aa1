// Which places of a matrix are looked at where entries count, not rows: few long rows may hold most
// of them. All but group_of_entry() works on the GPU, too.
#pragma once

#include "features/sample.hpp"
#include "matrix/counter_random.hpp"
#include "matrix/partition_point.hpp"

#include <cstdint>

namespace sptune {

/// Rows that the heights r of all bsr_probes() divide: a group of so many rows cuts no block. So do
/// so many columns with the widths c.
inline constexpr std::int64_t kBlockGroup = 24;

/// Columns [low, high).
struct ColumnStrip {
    std::int64_t low, high;
};

/// Draws entries; what is looked at is the tile that each lies in, its group of rows, or, where
/// that has too many entries, a strip of it. A tile with twice the entries is drawn twice as often,
/// so that in a mean over draws each counts the same (Hansen, Hurwitz: "On the Theory of Sampling
/// from Finite Populations", Annals of Mathematical Statistics 14(4), 1943).
struct TileSample {
    std::int64_t nnz;
    std::int64_t count;        ///< how many are drawn, at most nnz
    std::int64_t entry_limit;  ///< groups with more are cut into strips, those again if sorted

    /// Place of the entry that is drawn: a pseudo-random one of an equal part. It rises with
    /// `draw`.
    constexpr std::int64_t entry(std::int64_t draw) const {
        const std::int64_t first = nnz * draw / count, last = nnz * (draw + 1) / count;
        const std::uint64_t random = mix64(static_cast<std::uint64_t>(draw) + 1);
        return first + static_cast<std::int64_t>(random % static_cast<std::uint64_t>(last - first));
    }
};

/// The group of rows that holds entry `k`.
template <class P>
RowWindow group_of_entry(const P* row_ptr, std::int64_t rows, std::int64_t k) {
    const std::int64_t group = partition_point(
        std::int64_t{0}, (rows - 1) / kBlockGroup,
        [&](std::int64_t g) { return std::int64_t{row_ptr[(g + 1) * kBlockGroup]} <= k; });
    const std::int64_t first = group * kBlockGroup, last = first + kBlockGroup;
    return {first, last < rows ? last : rows};
}

/// Whether a strip of such columns can be narrower.
constexpr bool may_be_cut(ColumnStrip columns) {
    return columns.high - columns.low / kBlockGroup * kBlockGroup >= 2 * kBlockGroup;
}

/// The one that holds `column` of equal strips of a group whose `entries` lie in `all` columns: as
/// wide as would be right for half the limit if they lay evenly; their ends cut no block.
constexpr ColumnStrip strip_of_column(std::int64_t column, std::int64_t entries, std::int64_t limit,
                                      ColumnStrip all) {
    const std::int64_t first = all.low / kBlockGroup * kBlockGroup;
    const std::int64_t wide =
        kBlockGroup * ((all.high - first) / kBlockGroup * limit / (2 * entries) + 1);
    const std::int64_t low = first + (column - first) / wide * wide;
    return {low, low + wide < all.high ? low + wide : all.high};
}

}  // namespace sptune
