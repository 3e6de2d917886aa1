#include "features/sample.hpp"
#include "features/wide_loops.hpp"
#include "kernels/instantiate.hpp"
#include "kernels/parallel.hpp"
#include "kernels/spmv/hdia/format.hpp"
#include "kernels/spmv/hdia/grid.hpp"
#include "kernels/spmv/hdia/rough_slices.hpp"
#include "kernels/spmv/hdia/slice_diagonals.hpp"
#include "matrix/lasting.hpp"
#include "matrix/parallel.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>

namespace sptune {

namespace {

using hdia::Counts;
using hdia::RoughSlices;
using hdia::SliceDiagonals;

index_t slices_of(index_t rows, int c) {
    return static_cast<index_t>((std::int64_t{rows} + c - 1) / c);
}

// What is looked at where slices are only estimated: stretches of rows that slices of every C
// divide; of stretches with more entries than the most, which would take too long, none.
constexpr std::int64_t kStretch = 64, kMostOfStretch = 8192;

constexpr int kMostSlices = 64;  // that a thread takes at once

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

/// More would take a table of more than 1 GiB, in each thread.
constexpr std::int64_t kMostDiagonals = (std::int64_t{1} << 26) - 1;

template <class T, class P>
bool fits_tables(CsrView<T, P> a, int c) {
    for (std::int64_t first = 0; first < a.rows; first += c) {
        const auto last = std::min<std::int64_t>(a.rows, first + c);
        if (SliceDiagonals::most_diagonals(a, first, last) > kMostDiagonals) return false;
    }
    return true;
}

/// Writes the entries of slice `s` to its place.
template <class T, class P>
void fill_slice(CsrView<T, P> a, index_t s, const index_t* run_of, HdiaStorage<T>& out) {
    const int c = out.c;
    const std::int64_t begin = out.slice_ptr[s], first_run = out.run_ptr[s];
    const std::int64_t runs = out.run_ptr[s + 1] - first_run;
    const std::int64_t width = (out.slice_ptr[s + 1] - begin) / c - runs;
    T* const values = out.values.data() + begin;
    T* const rest = values + runs * c;
    index_t* const start = out.start.data() + first_run;
    index_t* const column = out.column.data() + begin - first_run * c;
    std::fill_n(values, (runs + width) * c, T{0});
    for (index_t lane = 0; lane < c; ++lane) {
        const std::int64_t i = std::int64_t{s} * c + lane;
        std::int64_t j = 0;
        index_t last = 0;
        const bool is_beside = out.beside.count() > 0 &&
                               std::binary_search(out.beside.row.begin(), out.beside.row.end(),
                                                  static_cast<index_t>(i));
        for (P k = i < a.rows ? a.row_ptr[i] : 0; i < a.rows && k < a.row_ptr[i + 1]; ++k) {
            last = a.col_idx[k];
            const index_t run = run_of[k];
            if (run != hdia::kOff) {
                start[run] = last - lane;
                values[std::int64_t{run} * c + lane] += a.values[k];  // may be there twice
            } else if (!is_beside) {
                rest[j * c + lane] = a.values[k];
                column[j++ * c + lane] = last;
            }
        }
        // Padding touches only entries of x that the row needs anyway.
        for (; j < width; ++j) column[j * c + lane] = last;
    }
}

/// Of the slices that have rows beside them, in order.
template <class T, class P>
LongRows<T> rows_beside(CsrView<T, P> a, const std::vector<index_t>& slices, const index_t* run_of,
                        const HdiaStorage<T>& of) {
    std::vector<index_t> rows;
    std::vector<std::int64_t> lengths;
    for (const index_t s : slices) {
        const std::int64_t width =
            (of.slice_ptr[s + 1] - of.slice_ptr[s]) / of.c - (of.run_ptr[s + 1] - of.run_ptr[s]);
        const std::int64_t first = std::int64_t{s} * of.c;
        for (std::int64_t i = first; i < std::min<std::int64_t>(first + of.c, a.rows); ++i) {
            const std::int64_t off =
                std::count(run_of + a.row_ptr[i], run_of + a.row_ptr[i + 1], hdia::kOff);
            if (off <= width) continue;
            rows.push_back(static_cast<index_t>(i));
            lengths.push_back(off);
        }
    }
    LongRows<T> out(rows, lengths);
    std::int64_t place = 0;
    for (const index_t i : rows)
        for (P k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
            if (run_of[k] != hdia::kOff) continue;
            out.column[place] = a.col_idx[k];
            out.values[place++] = a.values[k];
        }
    return out;
}

}  // namespace

template <class T, class P>
Footprint HdiaFormat::inspect(CsrView<T, P> a, const Features&, const Params& params) {
    const int c = get(params, "c"), percent = get(params, "f");
    if (!fits_tables(a, c)) {
        Footprint f;
        f.illegal = "a slice may meet 2^26 diagonals or more";
        return f;
    }
    const index_t slices = slices_of(a.rows, c);
    const int team = resolve_threads(0), chunk = chunk_of(slices, team, kMostSlices);
    std::int64_t runs = 0, rest = 0, on = 0, rows_beside = 0, beside = 0;
    const LongRowRule rule(a.nnz());
    ExceptionCarrier carrier;
#pragma omp parallel num_threads(team) reduction(+ : runs, rest, on, rows_beside, beside)
    {
        SliceDiagonals slice;
        std::vector<index_t> run_of;
#pragma omp for schedule(dynamic, chunk)
        for (index_t s = 0; s < slices; ++s)
            carrier.run([&] {
                const auto last = std::min(std::int64_t{a.rows}, (std::int64_t{s} + 1) * c);
                run_of.resize(static_cast<std::size_t>(a.row_ptr[last] - a.row_ptr[s * c]));
                slice.look(a, s * c, c, percent, rule, run_of.data());
                runs += slice.runs();
                rest += slice.rest_width();
                on += slice.on();
                rows_beside += slice.rows_beside();
                beside += slice.entries_beside();
            });
    }
    carrier.rethrow();
    Footprint f;
    f.storage_bytes = Counts{runs, rest, on, beside}.bytes(c, sizeof(T)) +
                      LongRows<T>::bytes_of(rows_beside, 0) +
                      2 * (static_cast<std::uint64_t>(slices) + 1) * sizeof(std::int64_t);
    f.moved_bytes = f.storage_bytes;
    if (static_cast<double>(on) < hdia::kLeastShare * static_cast<double>(a.nnz()))
        f.illegal = hdia::kNoDiagonals;
    return f;
}

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

template <class T, class P>
std::unique_ptr<Storage> HdiaFormat::convert(CsrView<T, P> a, const Params& params, int threads) {
    const int c = get(params, "c"), percent = get(params, "f");
    const index_t slices = slices_of(a.rows, c);
    auto out = std::make_unique<HdiaStorage<T>>();
    out->rows = a.rows;
    out->c = c;
    out->slice_ptr = Buffer<std::int64_t>(static_cast<std::size_t>(slices) + 1);
    out->run_ptr = Buffer<std::int64_t>(static_cast<std::size_t>(slices) + 1);
    out->slice_ptr[0] = out->run_ptr[0] = 0;
    Buffer<index_t> run_of(static_cast<std::size_t>(a.nnz()));
    const int team = resolve_threads(threads), chunk = chunk_of(slices, team, kMostSlices);
    const LongRowRule rule(a.nnz());
    std::vector<index_t> with_long_rows;
    std::mutex mutex;
    ExceptionCarrier carrier;
#pragma omp parallel num_threads(team)
    {
        SliceDiagonals slice;
#pragma omp for schedule(dynamic, chunk)
        for (index_t s = 0; s < slices; ++s)
            carrier.run([&] {
                slice.look(a, s * c, c, percent, rule, run_of.data() + a.row_ptr[s * c]);
                out->run_ptr[s + 1] = slice.runs();
                out->slice_ptr[s + 1] = (slice.runs() + slice.rest_width()) * c;
                if (slice.rows_beside() == 0) return;
                const std::lock_guard lock(mutex);
                with_long_rows.push_back(s);
            });
    }
    carrier.rethrow();
    std::sort(with_long_rows.begin(), with_long_rows.end());
    for (index_t s = 0; s < slices; ++s) {
        out->run_ptr[s + 1] += out->run_ptr[s];
        out->slice_ptr[s + 1] += out->slice_ptr[s];
    }
    const auto stored = static_cast<std::size_t>(out->slice_ptr[slices]);
    const auto runs = static_cast<std::size_t>(out->run_ptr[slices]);
    out->values = Buffer<T>(stored);
    out->start = Buffer<index_t>(runs);
    out->column = Buffer<index_t>(stored - runs * static_cast<std::size_t>(c));
    out->beside = rows_beside(a, with_long_rows, run_of.data(), *out);
#pragma omp parallel for schedule(dynamic, chunk) num_threads(team)
    for (index_t s = 0; s < slices; ++s) fill_slice(a, s, run_of.data(), *out);
    return out;
}

SPTUNE_INSTANTIATE_FORMAT(HdiaFormat)
template std::vector<LayoutEstimate> HdiaFormat::estimate(CsrView<float, std::int32_t>,
                                                          const Features&, std::span<const Params>);
template std::vector<LayoutEstimate> HdiaFormat::estimate(CsrView<float, std::int64_t>,
                                                          const Features&, std::span<const Params>);
template std::vector<LayoutEstimate> HdiaFormat::estimate(CsrView<double, std::int32_t>,
                                                          const Features&, std::span<const Params>);
template std::vector<LayoutEstimate> HdiaFormat::estimate(CsrView<double, std::int64_t>,
                                                          const Features&, std::span<const Params>);

}  // namespace sptune
