#include "features/row_lengths.hpp"

#include "features/sell_beside.hpp"

#include <cmath>
#include <span>

namespace sptune {
namespace {

/// Length of the row of this rank (from 0) among the rows sorted by length.
std::int64_t length_at(const LengthRuns& runs, std::int64_t rank) {
    for (const auto& [length, count] : runs) {
        if (rank < count) return length;
        rank -= count;
    }
    return 0;
}

/// Stored entries of SELL when all rows are sorted, longest first: each slice of C rows takes C
/// times the length of its first row. Divides once for each run, in 32 bits: beside a GPU's
/// kernels the divisions for all C are a good part of the time of the features.
double sorted_sell_slots(std::span<const LengthRuns::value_type> runs, std::int64_t c) {
    const auto height = static_cast<std::uint32_t>(c);
    double rows = 0;
    std::uint32_t after = 0, slices_before = 0;  // there are less than 2^31 rows
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
        after += static_cast<std::uint32_t>(run->second);
        const std::uint32_t slices = (after + height - 1) / height;
        rows += static_cast<double>(slices - slices_before) * static_cast<double>(run->first);
        slices_before = slices;
    }
    return rows * static_cast<double>(c);
}

/// The same where rows of the lengths that `rule` tells lie beside slices.
void describe_sorted_beside(const LengthRuns& runs, const LongRowRule& rule, double nnz,
                            BesideSlices& long_rows) {
    const auto without = [&](std::int64_t least) {
        const auto end = std::ranges::lower_bound(runs, least, {}, &LengthRuns::value_type::first);
        return std::span(runs.begin(), end);
    };
    const auto entries = [](std::span<const LengthRuns::value_type> list) {
        double sum = 0;
        for (const auto& [length, count] : list)
            sum += static_cast<double>(length) * static_cast<double>(count);
        return sum;
    };
    const auto shorter = without(rule.always()), shortest = without(rule.least());
    const double always = nnz - entries(shorter), more = entries(shorter) - entries(shortest);
    long_rows.share = (always + more) / nnz;
    for (SellPadding& s : long_rows.sell)
        if (s.sigma == 0)
            s.padding = (always + fewer_beside(sorted_sell_slots(shorter, s.c),
                                               sorted_sell_slots(shortest, s.c), more)) /
                            nnz -
                        1;
}

}  // namespace

LengthRuns length_runs(const std::array<std::int64_t, kShortRows>& shorter,
                       std::vector<std::int64_t> longer) {
    LengthRuns list;
    for (std::size_t i = 0; i < kShortRows; ++i)
        if (shorter[i]) list.emplace_back(i, shorter[i]);
    std::sort(longer.begin(), longer.end());
    for (const std::int64_t length : longer) {
        if (list.empty() || list.back().first != length) list.emplace_back(length, 0);
        ++list.back().second;
    }
    return list;
}

void LengthHistogram::fold() {
    for (std::size_t copy = 1; copy < kCopies; ++copy) {
        for (std::size_t i = 0; i < kShortRows; ++i) short_[0][i] += short_[copy][i];
        short_[copy].fill(0);
    }
}

void LengthHistogram::merge(const LengthHistogram& folded) {
    for (std::size_t i = 0; i < kShortRows; ++i) short_[0][i] += folded.short_[0][i];
    long_.insert(long_.end(), folded.long_.begin(), folded.long_.end());
}

LengthRuns LengthHistogram::runs() const {
    std::array<std::int64_t, kShortRows> rows{};
    for (const auto& copy : short_)
        for (std::size_t i = 0; i < kShortRows; ++i) rows[i] += copy[i];
    return length_runs(rows, long_);
}

void describe_row_lengths(const LengthRuns& runs, const RowOrderSums& sums, Features& f) {
    const auto n = static_cast<double>(f.rows), nnz = static_cast<double>(f.nnz);
    if (runs.empty()) return;
    f.row_min = runs.front().first;
    f.row_max = runs.back().first;
    f.empty_rows = f.row_min == 0 ? runs.front().second : 0;
    f.row_mean = nnz / n;
    f.row_median =
        0.5 * static_cast<double>(length_at(runs, (f.rows - 1) / 2) + length_at(runs, f.rows / 2));
    if (f.rows > 1) f.row_neighbour_diff = static_cast<double>(sums.neighbour_diff) / (n - 1);
    if (f.nnz == 0) return;

    double square = 0, cube = 0, ranked = 0, rank = 1;
    for (const auto& [length, count] : runs) {
        const auto x = static_cast<double>(length), m = static_cast<double>(count);
        const double off = x - f.row_mean;
        square += m * off * off;
        cube += m * off * off * off;
        ranked += x * m * (rank + (m - 1) / 2);  // Σ rank · length, ranks from 1
        rank += m;
    }
    f.row_std = std::sqrt(square / n);
    f.row_cv = f.row_std / f.row_mean;
    if (f.row_std > 0) f.row_skew = cube / n / (f.row_std * f.row_std * f.row_std);
    f.row_gini = std::max(0.0, 2 * ranked / (n * nnz) - (n + 1) / n);
    f.warp_imbalance = static_cast<double>(sums.warp_slots) / nnz;
    f.ell_fill = nnz / (n * static_cast<double>(f.row_max));

    constexpr std::array quantiles{0.50, 0.75, 0.90, 0.95};
    for (std::size_t q = 0; q < quantiles.size(); ++q) {
        const auto rank_q = static_cast<std::int64_t>(std::ceil(quantiles[q] * n)) - 1;
        const std::int64_t width = length_at(runs, rank_q);
        double rest = 0;
        for (const auto& [length, count] : runs)
            if (length > width)
                rest += static_cast<double>(length - width) * static_cast<double>(count);
        f.hyb_remainder[q] = rest / nnz;
    }
    for (SellPadding& s : f.sell)
        if (s.sigma == 0) s.padding = sorted_sell_slots(runs, s.c) / nnz - 1;
    if (f.long_rows) describe_sorted_beside(runs, LongRowRule(f.nnz), nnz, *f.long_rows);
}

}  // namespace sptune
