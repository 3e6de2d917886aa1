#include "features/blocks.hpp"

#include "matrix/counter_random.hpp"

#include <algorithm>
#include <iterator>
#include <span>

namespace sptune {
namespace {

/// Sorted, distinct columns of consecutive block rows of equal height.
struct Lists {
    std::vector<index_t> columns;
    std::vector<std::size_t> begin{0};  // of each list, and the end

    std::size_t size() const { return begin.size() - 1; }
    std::span<const index_t> operator[](std::size_t i) const {
        return {columns.data() + begin[i], begin[i + 1] - begin[i]};
    }
    void close() { begin.push_back(columns.size()); }
    void clear() {
        columns.clear();
        begin.resize(1);
    }
};

/// Unites every `height` lists of `in` into one: block rows that many times as high.
void unite(const Lists& in, std::size_t height, Lists& out) {
    thread_local std::vector<index_t> sum, next;
    out.clear();
    for (std::size_t i = 0; i < in.size(); i += height) {
        sum.assign(in[i].begin(), in[i].end());
        for (std::size_t j = i + 1; j < std::min(in.size(), i + height); ++j) {
            next.resize(sum.size() + in[j].size());
            next.resize(static_cast<std::size_t>(
                std::ranges::set_union(sum, in[j], next.begin()).out - next.begin()));
            sum.swap(next);
        }
        out.columns.insert(out.columns.end(), sum.begin(), sum.end());
        out.close();
    }
}

/// How many blocks of C columns the lists touch. C is a template argument for the division.
template <index_t C>
std::size_t occupied(const Lists& lists) {
    std::size_t blocks = 0;
    for (std::size_t i = 0; i < lists.size(); ++i) {
        const auto list = lists[i];
        blocks += !list.empty();
        for (std::size_t k = 1; k < list.size(); ++k) blocks += list[k] / C != list[k - 1] / C;
    }
    return blocks;
}

std::size_t occupied(const Lists& lists, int c) {
    switch (c) {
        case 1:
            return lists.columns.size();
        case 2:
            return occupied<2>(lists);
        case 3:
            return occupied<3>(lists);
        case 4:
            return occupied<4>(lists);
        case 6:
            return occupied<6>(lists);
        default:
            return occupied<8>(lists);
    }
}

}  // namespace

void BlockCounts::merge(const BlockCounts& other) {
    for (std::size_t p = 0; p < blocks.size(); ++p) blocks[p] += other.blocks[p];
    entries += other.entries;
    gaps += other.gaps;
    gap_rows += other.gap_rows;
}

template <class P>
void count_blocks(const P* row_ptr, const index_t* col_idx, std::int64_t cols, RowWindow group,
                  std::int64_t entry_limit, bool sorted, BlockCounts& out) {
    const std::int64_t entries = row_ptr[group.last] - row_ptr[group.first];
    if (entries == 0) return;
    // The strip: its share of the columns is what the limit allows, its ends cut no block.
    std::int64_t low = 0, high = cols;
    if (entries > entry_limit) {
        const std::int64_t wide = cols / kBlockGroup * entry_limit / entries + 1;
        const auto places = static_cast<std::uint64_t>(cols / kBlockGroup - wide + 1);
        low = kBlockGroup *
              static_cast<std::int64_t>(mix64(static_cast<std::uint64_t>(group.first)) % places);
        high = std::min(cols, low + wide * kBlockGroup);
    }

    thread_local Lists rows, two, four, eight, three, six;
    rows.clear();
    double kept = 0;
    for (std::int64_t i = group.first; i < group.last; ++i) {
        const std::size_t begin = rows.columns.size();
        const index_t *first = col_idx + row_ptr[i], *last = col_idx + row_ptr[i + 1];
        if (sorted) {
            first = std::lower_bound(first, last, low);
            last = std::lower_bound(first, last, high);
        }
        std::copy_if(first, last, std::back_inserter(rows.columns),
                     [&](index_t c) { return c >= low && c < high; });
        const auto own = std::span(rows.columns).subspan(begin);
        if (!std::ranges::is_sorted(own)) std::ranges::sort(own);
        kept += static_cast<double>(own.size());
        if (own.size() > 1) {
            out.gaps +=
                static_cast<double>(own.back() - own.front()) / static_cast<double>(own.size() - 1);
            ++out.gap_rows;
        }
        rows.columns.erase(std::unique(rows.columns.begin() + static_cast<std::ptrdiff_t>(begin),
                                       rows.columns.end()),
                           rows.columns.end());
        rows.close();
    }
    if (kept == 0) return;
    unite(rows, 2, two);
    unite(two, 2, four);
    unite(four, 2, eight);
    unite(rows, 3, three);
    unite(three, 2, six);
    const auto of_height = [&](int r) -> const Lists& {
        return r == 1 ? rows : r == 2 ? two : r == 3 ? three : r == 4 ? four : r == 6 ? six : eight;
    };
    const double scale = static_cast<double>(entries) / kept;
    const auto& probes = bsr_probes();
    for (std::size_t p = 0; p < probes.size(); ++p)
        out.blocks[p] += scale * static_cast<double>(occupied(of_height(probes[p].r), probes[p].c));
    out.entries += static_cast<double>(entries);
}

void describe_blocks(const BlockCounts& counts, Features& f) {
    if (counts.entries == 0) return;
    for (std::size_t p = 0; p < f.bsr.size(); ++p) {
        BsrFill& b = f.bsr[p];
        // Duplicate columns could make more entries than places.
        b.fill = std::min(1.0, counts.entries / (counts.blocks[p] * b.r * b.c));
        if (b.r == 1 && b.c == 8) f.cols_per_line = counts.entries / counts.blocks[p];
    }
    if (counts.gap_rows > 0) f.column_gap = counts.gaps / counts.gap_rows;
}

template void count_blocks(const std::int32_t*, const index_t*, std::int64_t, RowWindow,
                           std::int64_t, bool, BlockCounts&);
template void count_blocks(const std::int64_t*, const index_t*, std::int64_t, RowWindow,
                           std::int64_t, bool, BlockCounts&);

}  // namespace sptune
