#include "features/blocks.hpp"

#include "features/occupied_blocks.hpp"
#include "matrix/lasting.hpp"

#include <algorithm>
#include <iterator>
#include <span>

namespace sptune {
namespace {

/// Place of a height or width in kBlockSides.
std::size_t side(int length) {
    return static_cast<std::size_t>(std::ranges::find(kBlockSides, length) - kBlockSides.begin());
}

/// The entries of `row` inside the strip; copied to the end of `copies` if they do not lie side by
/// side.
std::span<const index_t> entries_in(std::span<const index_t> row, ColumnStrip strip, bool sorted,
                                    std::vector<index_t>& copies) {
    if (sorted) {
        const auto first = std::lower_bound(row.begin(), row.end(), strip.low);
        return {first, std::lower_bound(first, row.end(), strip.high)};
    }
    const std::size_t begin = copies.size();
    std::ranges::copy_if(row, std::back_inserter(copies),
                         [&](index_t c) { return c >= strip.low && c < strip.high; });
    return std::span(copies).subspan(begin);
}

/// The distinct columns of a row, rising.
std::span<const index_t> distinct(std::span<const index_t> row, std::vector<index_t>& memory) {
    memory.assign(row.begin(), row.end());
    if (!std::ranges::is_sorted(memory)) std::ranges::sort(memory);
    memory.erase(std::unique(memory.begin(), memory.end()), memory.end());
    return memory;
}

/// How many columns of `above` have their right neighbour in `below`, both rising.
std::int64_t continued(std::span<const index_t> above, std::span<const index_t> below) {
    std::int64_t found = 0;
    for (std::size_t i = 0, j = 0; i < above.size() && j < below.size();) {
        const index_t wanted = above[i] + 1, there = below[j];
        found += wanted == there;
        i += wanted <= there;
        j += there <= wanted;
    }
    return found;
}

}  // namespace

void BlockCounts::merge(const BlockCounts& other) {
    for (std::size_t p = 0; p < blocks.size(); ++p) blocks[p] += other.blocks[p];
    entries += other.entries;
    gaps += other.gaps;
    gap_rows += other.gap_rows;
    followed += other.followed;
    continued += other.continued;
}

template <class P>
void count_blocks(const P* row_ptr, const index_t* col_idx, std::int64_t cols, RowWindow group,
                  std::int64_t entry_limit, bool sorted, BlockCounts& out) {
    const std::int64_t entries = row_ptr[group.last] - row_ptr[group.first];
    if (entries == 0) return;
    ColumnStrip strip{0, cols};
    if (entries > entry_limit) strip = strip_of_group(group.first, entries, entry_limit, cols);

    // Of rows whose entries are not sorted.
    auto& inside = of_this_thread<std::vector<index_t>, struct Inside>();
    inside.clear();
    inside.reserve(sorted ? 0 : static_cast<std::size_t>(entries));  // spans must stay valid
    std::array<std::span<const index_t>, kBlockGroup> rows;
    std::size_t kept = 0, count = 0;
    for (std::int64_t i = group.first; i < group.last; ++i) {
        std::span<const index_t> row{col_idx + row_ptr[i], col_idx + row_ptr[i + 1]};
        if (entries > entry_limit) row = entries_in(row, strip, sorted, inside);
        rows[count++] = row;
        kept += row.size();
        if (row.size() < 2) continue;
        const auto [least, most] =
            sorted ? std::ranges::minmax_result{row.front(), row.back()} : std::ranges::minmax(row);
        out.gaps += static_cast<double>(most - least) / static_cast<double>(row.size() - 1);
        ++out.gap_rows;
    }
    if (kept == 0) return;
    const OccupiedBlocks blocks = occupied_blocks({rows.data(), count});
    const double scale = static_cast<double>(entries) / static_cast<double>(kept);
    const auto& probes = bsr_probes();
    for (std::size_t p = 0; p < probes.size(); ++p)
        out.blocks[p] += scale * blocks[side(probes[p].c)][side(probes[p].r)];
    out.entries += static_cast<double>(entries);

    auto& above = of_this_thread<std::vector<index_t>, struct Above>();
    auto& below = of_this_thread<std::vector<index_t>, struct Below>();
    for (std::size_t i = 0; i < count; ++i) {
        if (!follows_diagonals(static_cast<std::int64_t>(i), static_cast<std::int64_t>(count)))
            continue;
        const auto from = distinct(rows[i], above);
        out.followed += scale * static_cast<double>(from.size());
        out.continued += scale * static_cast<double>(continued(from, distinct(rows[i + 1], below)));
    }
}

void describe_blocks(const BlockCounts& counts, Features& f) {
    for (std::size_t p = 0; p < f.bsr.size(); ++p) {
        BsrFill& b = f.bsr[p];
        // Entries of a block; in a sample without any, the least that there can be.
        const double held = counts.entries > 0 ? counts.entries / counts.blocks[p] : 1;
        // Duplicate columns could make more entries than places.
        b.fill = std::min(1.0, held / (b.r * b.c));
        if (b.r == 1 && b.c == 8) f.cols_per_line = held;
    }
    if (counts.gap_rows > 0) f.column_gap = counts.gaps / counts.gap_rows;
    f.diagonal_runs = counts.followed > 0 ? counts.continued / counts.followed : 0;
}

template void count_blocks(const std::int32_t*, const index_t*, std::int64_t, RowWindow,
                           std::int64_t, bool, BlockCounts&);
template void count_blocks(const std::int64_t*, const index_t*, std::int64_t, RowWindow,
                           std::int64_t, bool, BlockCounts&);

}  // namespace sptune
