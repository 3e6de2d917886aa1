#include "features/diagonals.hpp"

#include "features/slot_table.hpp"
#include "matrix/lasting.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

namespace sptune {
namespace {

/// Calls visit(diagonal counted from 0, entries it stands for) for the sampled entries.
template <class P, class Visit>
void for_each_sampled(const P* row_ptr, const index_t* col_idx, std::int64_t rows,
                      const RowSample& sample, std::int64_t row_limit, Visit visit) {
    for (const RowWindow& w : sample.windows())
        for (std::int64_t i = w.first; i < w.last; ++i) {
            const std::int64_t stride = diagonal_stride(row_ptr[i + 1] - row_ptr[i], row_limit);
            for (std::int64_t k = row_ptr[i]; k < row_ptr[i + 1]; k += stride)
                visit(static_cast<std::uint32_t>(col_idx[k] - i + rows - 1),
                      static_cast<std::uint32_t>(stride));
        }
}

}  // namespace

void describe_diagonals(const WholePass& pass, Features& f) {
    f.diagonals = pass.diagonals;
    f.bandwidth_max = std::max(std::abs(pass.lowest_diagonal), std::abs(pass.highest_diagonal));
    f.passed_share = static_cast<double>(pass.rows) / static_cast<double>(f.rows);
    f.bandwidth_mean = static_cast<double>(pass.distance) / static_cast<double>(pass.entries);
    f.profile = pass.rows == f.rows
                    ? pass.profile
                    : std::llround(static_cast<double>(pass.profile) / f.passed_share);
    f.dia_fill = static_cast<double>(f.nnz) /
                 (static_cast<double>(f.diagonals) * static_cast<double>(f.rows));
}

template <class P>
DiagonalCounts count_diagonals(const P* row_ptr, const index_t* col_idx, std::int64_t rows,
                               std::int64_t cols, const RowSample& sample, bool in_full) {
    const std::int64_t row_limit = in_full ? row_ptr[rows] : kDiagonalRow;
    std::size_t entries = 0;
    for (const RowWindow& w : sample.windows())
        for (std::int64_t i = w.first; i < w.last; ++i)
            entries += static_cast<std::size_t>(
                std::min<std::int64_t>(row_ptr[i + 1] - row_ptr[i], row_limit + 1));

    DiagonalCounts found;
    // The counts that are not 0.
    auto& met = of_this_thread<std::vector<std::uint32_t>, struct Met>();
    met.clear();
    met.reserve(entries);
    const SampleView view = sample.view();
    const auto add = [&](std::int64_t at, std::uint32_t count) {
        met.push_back(count);
        found.total += count;
        if (!is_dense(count, at - (rows - 1), rows, cols, view)) return;
        ++found.dense;
        found.on_dense += count;
    };
    // An array over all diagonals, unless the page faults of it would take longer than a hash
    // table does.
    constexpr std::size_t kSparse = 64;
    const auto all = static_cast<std::size_t>(rows + cols);
    if (all <= kSparse * entries) {
        // All 0 before and after, and the diagonals that have been met.
        auto& counts = of_this_thread<std::vector<std::uint32_t>, struct AllCounts>();
        auto& places = of_this_thread<std::vector<std::uint32_t>, struct Places>();
        if (counts.size() < all) counts.resize(all, 0);
        if (places.size() <= entries) places.resize(entries + 1);
        std::size_t n = 0;
        for_each_sampled(row_ptr, col_idx, rows, sample, row_limit,
                         [&](std::uint32_t at, std::uint32_t stride) {
                             places[n] = at;  // counts if it is the first
                             n += counts[at] == 0;
                             counts[at] += stride;
                         });
        for (std::size_t k = 0; k < n; ++k) {
            add(places[k], counts[places[k]]);
            counts[places[k]] = 0;
        }
    } else {
        auto& slots = of_this_thread<SlotTable, struct Slots>();
        auto& counts = of_this_thread<std::vector<std::uint32_t>, struct MetCounts>();
        slots.reset(entries);
        counts.assign(entries, 0);
        for_each_sampled(
            row_ptr, col_idx, rows, sample, row_limit,
            [&](std::uint32_t at, std::uint32_t stride) { counts[slots[at]] += stride; });
        for (std::size_t s = 0; s < slots.keys().size(); ++s) add(slots.keys()[s], counts[s]);
    }
    const auto kept = static_cast<std::ptrdiff_t>(std::min(kTopDiagonals, met.size()));
    std::partial_sort(met.begin(), met.begin() + kept, met.end(), std::greater<>());
    found.top.assign(met.begin(), met.begin() + kept);
    return found;
}

void describe_sampled_diagonals(const DiagonalCounts& counts, Features& f) {
    if (counts.total == 0) return;
    const auto total = static_cast<double>(counts.total);
    f.dense_diagonals = counts.dense;
    f.dense_diagonal_share = static_cast<double>(counts.on_dense) / total;
    std::int64_t top = 0;
    for (std::size_t k = 0, rank = 0; rank < f.top_diagonal_share.size(); ++rank) {
        for (; k < std::min(counts.top.size(), std::size_t{1} << 2 * rank); ++k)
            top += counts.top[k];
        f.top_diagonal_share[rank] = static_cast<double>(top) / total;
    }
}

template DiagonalCounts count_diagonals(const std::int32_t*, const index_t*, std::int64_t,
                                        std::int64_t, const RowSample&, bool);
template DiagonalCounts count_diagonals(const std::int64_t*, const index_t*, std::int64_t,
                                        std::int64_t, const RowSample&, bool);

}  // namespace sptune
