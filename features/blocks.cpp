#include "features/blocks.hpp"

#include "features/occupied_blocks.hpp"
#include "matrix/lasting.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
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

/// Where the columns of sorted rows lie, not all of them empty.
ColumnStrip columns_of(std::span<const std::span<const index_t>> rows) {
    index_t least = std::numeric_limits<index_t>::max(), most = 0;
    for (const auto& row : rows)
        if (!row.empty()) least = std::min(least, row.front()), most = std::max(most, row.back());
    return {least, most + std::int64_t{1}};
}

constexpr std::int64_t kNoEdge = std::numeric_limits<std::int64_t>::max();

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

/// Adds `rows`, one after the other of a group, an entry of theirs as `weight`. Diagonals are
/// followed from columns before `edge`: what is right of others is not there.
void add_rows(std::span<const std::span<const index_t>> rows, double weight, std::int64_t edge,
              BlockCounts& out) {
    const OccupiedBlocks blocks = occupied_blocks(rows);
    const auto& probes = bsr_probes();
    for (std::size_t p = 0; p < probes.size(); ++p)
        out.blocks[p] += weight * blocks[side(probes[p].c)][side(probes[p].r)];
    for (const auto& row : rows) out.entries += weight * static_cast<double>(row.size());

    auto& above = of_this_thread<std::vector<index_t>, struct Above>();
    auto& below = of_this_thread<std::vector<index_t>, struct Below>();
    const auto count = static_cast<std::int64_t>(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!follows_diagonals(static_cast<std::int64_t>(i), count)) continue;
        const auto all = distinct(rows[i], above);
        const auto from = all.first(all.size() - (!all.empty() && all.back() >= edge));
        out.followed += weight * static_cast<double>(from.size());
        out.continued +=
            weight * static_cast<double>(continued(from, distinct(rows[i + 1], below)));
    }
}

using GroupRows = std::array<std::span<const index_t>, kBlockGroup>;

template <class P>
std::span<const std::span<const index_t>> rows_of(const P* row_ptr, const index_t* col_idx,
                                                  RowWindow group, GroupRows& rows) {
    std::size_t count = 0;
    for (std::int64_t i = group.first; i < group.last; ++i)
        rows[count++] = {col_idx + row_ptr[i], col_idx + row_ptr[i + 1]};
    return {rows.data(), count};
}

}  // namespace

void BlockCounts::merge(const BlockCounts& other) {
    for (std::size_t p = 0; p < blocks.size(); ++p) blocks[p] += other.blocks[p];
    entries += other.entries;
    followed += other.followed;
    continued += other.continued;
}

template <class P>
void count_blocks(const P* row_ptr, const index_t* col_idx, RowWindow group, BlockCounts& out) {
    if (row_ptr[group.first] == row_ptr[group.last]) return;
    GroupRows rows;
    add_rows(rows_of(row_ptr, col_idx, group, rows), 1, kNoEdge, out);
}

template <class P>
void count_tile(const P* row_ptr, const index_t* col_idx, std::int64_t rows, std::int64_t cols,
                const TileSample& sample, std::int64_t draw, bool sorted, BlockCounts& out) {
    const std::int64_t k = sample.entry(draw);
    const RowWindow group = group_of_entry(row_ptr, rows, k);
    const std::int64_t begin = row_ptr[group.first], end = row_ptr[group.last];
    std::int64_t draws = 1;
    if (!sorted) {  // all entries of the group are read
        if (draw > 0 && sample.entry(draw - 1) >= begin) return;
        while (draw + draws < sample.count && sample.entry(draw + draws) < end) ++draws;
    }
    GroupRows of_group;
    const auto all = rows_of(row_ptr, col_idx, group, of_group);
    const std::int64_t entries = end - begin;
    std::int64_t kept = entries, edge = kNoEdge;
    ColumnStrip strip = sorted ? columns_of(all) : ColumnStrip{0, cols};
    auto& inside = of_this_thread<std::vector<index_t>, struct Inside>();
    while (kept > sample.entry_limit && may_be_cut(strip)) {
        strip = strip_of_column(col_idx[k], kept, sample.entry_limit, strip);
        edge = strip.high - 1;
        inside.clear();
        inside.reserve(sorted ? 0 : static_cast<std::size_t>(entries));  // spans must stay valid
        kept = 0;
        for (std::size_t i = 0; i < all.size(); ++i) {
            of_group[i] = entries_in(of_group[i], strip, sorted, inside);
            kept += static_cast<std::int64_t>(of_group[i].size());
        }
        if (!sorted) break;
    }
    add_rows(all, static_cast<double>(draws) / static_cast<double>(kept), edge, out);
}

void describe_blocks(const BlockCounts& counts, bool in_full, Features& f) {
    // Full blocks shall be full, whatever the weights of many tiles add up to.
    const auto number = [&](double n) { return in_full ? n : std::round(n * 0x1p40) / 0x1p40; };
    for (std::size_t p = 0; p < f.bsr.size(); ++p) {
        BsrFill& b = f.bsr[p];
        const double held = number(counts.entries / counts.blocks[p]);  // entries of a block
        // Duplicate columns could make more entries than places.
        b.fill = std::min(1.0, held / (b.r * b.c));
        if (b.r == 1 && b.c == 8) f.cols_per_line = held;
    }
    f.diagonal_runs = counts.followed > 0 ? number(counts.continued / counts.followed) : 0;
}

#define SPTUNE_INSTANTIATE(P)                                                      \
    template void count_blocks(const P*, const index_t*, RowWindow, BlockCounts&); \
    template void count_tile(const P*, const index_t*, std::int64_t, std::int64_t, \
                             const TileSample&, std::int64_t, bool, BlockCounts&);
SPTUNE_INSTANTIATE(std::int32_t)
SPTUNE_INSTANTIATE(std::int64_t)
#undef SPTUNE_INSTANTIATE

}  // namespace sptune
