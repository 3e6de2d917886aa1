#include "features/sample.hpp"
#include "features/wide_loops.hpp"
#include "kernels/parallel.hpp"
#include "kernels/spmv/hdia/format.hpp"
#include "kernels/spmv/hdia/grid.hpp"
#include "kernels/spmv/hdia/rough_slices.hpp"
#include "matrix/lasting.hpp"
#include "matrix/parallel.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace sptune {

namespace {

using hdia::Counts;
using hdia::RoughSlices;
using hdia::slices_of;

// What is looked at where slices are only estimated: stretches of rows that slices of every C
// divide; of stretches with more entries than the most, which would take too long, none.
constexpr std::int64_t kStretch = 64, kMostOfStretch = 8192;

constexpr double kPointless = std::numeric_limits<double>::infinity();

/// With some thousand entries in all.
template <class T, class P>
RowSample rows_to_look_at(CsrView<T, P> a) {
    const std::int64_t nnz = a.nnz();
    const auto stretches_of = [&](std::int64_t entries) {
        return entries * a.rows / nnz / kStretch;
    };
    // Few stretches say little, but those of long rows take their time.
    const std::int64_t stretches =
        std::max({stretches_of(std::clamp<std::int64_t>(nnz / 32, 1024, 4096)),
                  std::min<std::int64_t>(stretches_of(kMostOfStretch), 4), std::int64_t{1}});
    return RowSample(a.rows, stretches * kStretch, kStretch, stretches);
}

/// Those stretches in which a row is longer than `longest`.
template <class T, class P>
std::vector<RowWindow> stretches_with_longer_rows(CsrView<T, P> a, std::int64_t longest) {
    std::vector<RowWindow> list;
    for (std::int64_t first = 0; first < a.rows; first += kStretch) {
        const std::int64_t last = std::min<std::int64_t>(a.rows, first + kStretch);
        // Most are told by their ends alone.
        if (a.row_ptr[last] - a.row_ptr[first] > longest &&
            length_range(a.row_ptr, first, last).longest > longest)
            list.push_back({first, last});
    }
    return list;
}

/// Of rows that are longer than `longest`, what they have more.
struct Beyond {
    std::int64_t entries = 0;
    std::int64_t slots = 0;  ///< that are held for it in their slices of c rows, or beside them
};

template <class T, class P>
Beyond beyond(CsrView<T, P> a, int c, std::int64_t longest, const LongRowRule& rule,
              const std::vector<RowWindow>& stretches) {
    Beyond all;
    std::vector<std::int64_t> lengths;
    for (const RowWindow& w : stretches)
        for (std::int64_t slice = w.first; slice < w.last; slice += c) {
            lengths.clear();
            for (std::int64_t i = slice; i < std::min(w.last, slice + c); ++i) {
                lengths.push_back(a.row_ptr[i + 1] - a.row_ptr[i]);
                all.entries += std::max<std::int64_t>(lengths.back() - longest, 0);
            }
            const std::int64_t width = rule.width(lengths, c);
            all.slots += std::max<std::int64_t>(width - longest, 0) * c;
            for (const std::int64_t length : lengths)
                if (length > width) all.slots += std::max<std::int64_t>(length - longest, 0);
        }
    return all;
}

}  // namespace

template <class T, class P>
std::vector<LayoutEstimate> HdiaFormat::estimate(CsrView<T, P> a, const Features& features,
                                                 std::span<const Params> params) {
    // No entries, or rows alike on diagonals that hardly end: there is nothing to find out.
    if (a.nnz() == 0 || (features.diagonal_runs.value_or(0) > 0.99 &&
                         static_cast<double>(features.row_max) <= 2 * features.row_mean))
        return std::vector<LayoutEstimate>(params.size());
    // The same rows for all, so that chance does not decide among them.
    std::vector<RowWindow> stretches = rows_to_look_at(a).units();
    std::erase_if(stretches, [&](const RowWindow& w) {
        return a.row_ptr[w.last] - a.row_ptr[w.first] > kMostOfStretch;
    });
    std::int64_t entries = 0, longest = 0;  // longest row
    for (const RowWindow& w : stretches) {
        entries += a.row_ptr[w.last] - a.row_ptr[w.first];
        for (std::int64_t i = w.first; i < w.last; ++i)
            longest = std::max<std::int64_t>(longest, a.row_ptr[i + 1] - a.row_ptr[i]);
    }
    // What differs in f alone shares its slices.
    std::vector<int> heights;
    std::map<int, std::vector<RoughSlices::Kept>> by_c;
    for (const Params& p : params) {
        const int c = get(p, "c");
        if (by_c[c].empty()) heights.push_back(c);
        by_c[c].push_back({static_cast<std::uint16_t>((c * get(p, "f") + 99) / 100), {}});
    }
    const LongRowRule rule(a.nnz());
    ExceptionCarrier carrier;
    const int threads = team_size(0, static_cast<std::uint64_t>(a.nnz()));
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (std::size_t h = 0; h < heights.size(); ++h)
        carrier.run([&] {
            auto& slices = of_this_thread<RoughSlices, struct Slices>();
            const auto c = static_cast<std::size_t>(heights[h]);
            for (const RowWindow& w : stretches) {
                slices.load(a, w.first, w.last);
                for (std::size_t first = 0; first < slices.rows(); first += c)
                    slices.add(first, std::min(slices.rows(), first + c), heights[h], rule,
                               by_c.at(heights[h]));
            }
        });
    carrier.rethrow();
    std::vector<LayoutEstimate> told;
    std::map<int, std::size_t> next;
    const auto long_stretches = features.row_max > longest ? stretches_with_longer_rows(a, longest)
                                                           : std::vector<RowWindow>{};
    std::map<int, Beyond> long_rows;
    for (const Params& p : params) {
        const int c = get(p, "c");
        const Counts& counts = by_c[c][next[c]++].counts;
        // Rows so long that none was among those looked at are counted apart.
        const auto [found, is_new] = long_rows.try_emplace(c);
        if (is_new) found->second = beyond(a, c, longest, rule, long_stretches);
        const auto missed = static_cast<double>(found->second.slots);
        const double scale =
            static_cast<double>(a.nnz() - found->second.entries) / static_cast<double>(entries);
        if (entries == 0)
            told.push_back({features.diagonal_runs.value_or(0) < 0.25 ? kPointless : 0});
        else if (static_cast<double>(counts.on) < hdia::kLeastShare * static_cast<double>(entries))
            told.push_back({kPointless});
        else
            told.push_back(
                {scale * static_cast<double>(counts.bytes(c, sizeof(T))) +
                     static_cast<double>(slices_of(a.rows, c)) * 2 * sizeof(std::int64_t) +
                     missed * (sizeof(T) + sizeof(index_t)),
                 scale * static_cast<double>(counts.rest * c + counts.beside) + missed});
    }
    return told;
}

#define SPTUNE_INSTANTIATE(T, P)                                                              \
    template std::vector<LayoutEstimate> HdiaFormat::estimate(CsrView<T, P>, const Features&, \
                                                              std::span<const Params>);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune
