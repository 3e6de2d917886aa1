#include "models/holding.hpp"

#include "matrix/parallel.hpp"
#include "models/reckoned.hpp"

#include <algorithm>
#include <cmath>

namespace sptune::models {
namespace {

constexpr double kIndex = sizeof(index_t), kOffset = sizeof(std::uint16_t);

/// Times the bytes of CSR: the same cap as Limits::storage_factor.
constexpr double kMostBytes = 4;

double csr_bytes(const Features& f, const Layout& l) {
    return static_cast<double>(f.nnz) * (l.value + kIndex) +
           (static_cast<double>(f.rows) + 1) * l.pointer;
}

/// Rows that are sorted together, one over: what a window pads hardly depends on its size, so that
/// in all they pad in proportion to this. Unsorted slices are windows of C rows.
double windows_per_row(int c, int sigma) {
    return sigma == kAll ? 0 : 1.0 / (sigma == 1 ? c : sigma);
}

/// The probed C that is the nearest to the one asked for.
int nearest_c(const std::vector<SellPadding>& probes, int c) {
    int nearest = 0;
    const auto ratio = [&](int other) { return 1.0 * std::max(c, other) / std::min(c, other); };
    for (const SellPadding& probe : probes)
        if (probe.c > 0 && (nearest == 0 || ratio(probe.c) < ratio(nearest))) nearest = probe.c;
    return nearest;
}

/// Padding of SELL-C-σ: as probed, or between the next smaller and the next larger σ that are.
double sell_padding(const std::vector<SellPadding>& probes, int c, int sigma) {
    const double wanted = windows_per_row(c, sigma);
    const SellPadding *smaller = nullptr, *larger = nullptr;  // windows
    double of_smaller = 0, of_larger = 0;
    for (const SellPadding& probe : probes) {
        if (probe.c != c) continue;
        if (probe.sigma == sigma) return probe.padding;
        const double here = windows_per_row(c, probe.sigma);
        if (here >= wanted && (!smaller || here < of_smaller)) smaller = &probe, of_smaller = here;
        if (here <= wanted && (!larger || here > of_larger)) larger = &probe, of_larger = here;
    }
    if (smaller && larger && of_smaller > of_larger)
        return larger->padding + (smaller->padding - larger->padding) * (wanted - of_larger) /
                                     (of_smaller - of_larger);
    if (smaller || larger) return (smaller ? smaller : larger)->padding;
    const int other = nearest_c(probes, c);
    return other > 0 ? sell_padding(probes, other, sigma) : 0;
}

double sell_padding(const Features& f, const Layout& l, int sigma) {
    return sell_padding(l.beside ? paddings_beside(f) : f.sell, l.c, sigma);
}

/// The probed fill of r×c blocks; 0: not probed.
double probed_fill(const Features& f, int r, int c) {
    if (r == 1 && c == 1) return 1;
    for (const BsrFill& probe : f.bsr)
        if (probe.r == r && probe.c == c) return probe.fill;
    return 0;
}

/// Fill of r×c blocks. What is not probed is as full as its rows and its columns together: right
/// for scattered entries as for dense blocks that it divides or cuts through.
double bsr_fill(const Features& f, int r, int c) {
    double fill = probed_fill(f, r, c);
    if (fill <= 0) fill = probed_fill(f, r, 1) * probed_fill(f, 1, c);
    return fill > 0 ? fill : 1;
}

/// Of rows cut off at the row-length quantile `percent`.
struct CutRows {
    double width;  ///< the quantile: entries of a row that are kept at most
    double rest;   ///< share of nnz beyond it
};

/// Features have the shares beyond the quantiles, but of these only the median. From one to the
/// next the rest falls by width · rows / nnz times the share of rows that reach beyond, which lies
/// between those of the two quantiles.
CutRows cut_rows(const Features& f, int percent) {
    const double quantiles[] = {0.5, 0.75, 0.9, 0.95};
    CutRows cut{f.row_median, f.hyb_remainder[0]};
    for (std::size_t i = 1; i < f.hyb_remainder.size() && percent > 100 * quantiles[i - 1]; ++i) {
        const double beyond = std::sqrt((1 - quantiles[i - 1]) * (1 - quantiles[i]));
        cut.width += (cut.rest - f.hyb_remainder[i]) * f.row_mean / beyond;
        cut.rest = f.hyb_remainder[i];
    }
    return cut;
}

/// Whether the columns of `rows` neighbouring rows span less than 2^16: surely, unless the
/// bandwidth is an estimate.
bool narrow(const Features& f, double rows) {
    return f.cols < 65536 || 2 * static_cast<double>(f.bandwidth_max) + rows < 65536;
}

/// What a vendor's kernel starts from, as far as the vendor says; CSR where nothing is known.
Layout::Kind kind_of(const Variant& v) {
    using enum Layout::Kind;
    static constexpr std::pair<std::string_view, Layout::Kind> kKinds[] = {
        {"coo", coo}, {"csc", csc}, {"sell", sell}, {"pjds", sell}, {"ell", ell},
        {"hyb", hyb}, {"bsr", bsr}, {"dia", dia},   {"hdia", hdia}};
    const std::string_view name = v.vendor ? v.algorithm : v.format;
    for (const auto& [known, kind] : kKinds)
        if (known == name && (!v.vendor || kind == coo || kind == sell || kind == bsr)) return kind;
    return csr;
}

}  // namespace

const std::vector<SellPadding>& paddings_beside(const Features& f) {
    return f.long_rows ? f.long_rows->sell : f.sell;
}

int param_or(const Params& params, std::string_view name, int fallback) {
    for (const Param& p : params)
        if (p.name == name) return p.value;
    return fallback;
}

Layout layout_of(const Variant& v) {
    using enum Layout::Kind;
    const auto param = [&](std::string_view name, int usual) {
        return param_or(v.params, name, usual);
    };
    Layout l;
    l.kind = kind_of(v);
    l.narrow = param("x", 32) == 16;
    l.tiles = v.algorithm == "tiles";
    l.value = v.value == ValueType::f64 ? 8 : 4;
    l.pointer = v.index == IndexType::i64 ? 8 : 4;
    l.beside = v.backend == Backend::cpu && !v.vendor && (l.kind == sell || l.kind == hdia);
    if (l.kind == sell) {
        l.c = std::max(param("c", 32), 1);
        l.sigma = v.format == "pjds" ? kAll : param("s", 1);
    } else if (l.kind == hdia) {
        l.c = std::max(param("c", 8), 1);
    } else if (l.kind == bsr) {
        l.r = param("r", 1), l.c = param("c", 1);
    } else if (l.kind == hyb) {
        l.percent = param("q", 90);
    } else if (l.kind == dia) {
        l.percent = param("f", kAll);
    }
    return l;
}

Holding holding(const Features& f, const Layout& l) {
    using enum Layout::Kind;
    const double rows = static_cast<double>(f.rows), nnz = static_cast<double>(f.nnz);
    const double column = l.narrow ? kOffset : kIndex;
    Holding h{nnz, nnz * (l.value + column) + (rows + 1) * l.pointer};
    switch (l.kind) {
        case csr:
            if (l.narrow) h.bytes += rows * kIndex, h.fits = narrow(f, 1) || l.tiles;
            break;
        case coo:
            h.bytes = nnz * (l.value + 2 * kIndex);
            break;
        case csc:
            h.bytes = nnz * (l.value + kIndex) + static_cast<double>(f.cols + 1) * 8;
            break;
        case sell:
            h.stored = nnz * (1 + sell_padding(f, l, l.sigma));
            h.bytes = h.stored * (l.value + column) + rows / l.c * (8 + (l.narrow ? kIndex : 0)) +
                      (l.sigma == 1 ? 0 : rows * kIndex);
            h.fits = !l.narrow || narrow(f, l.sigma == kAll ? rows : std::max(l.c, l.sigma));
            break;
        case ell:
            h.stored = f.ell_fill > 0 ? nnz / f.ell_fill : 0;
            h.bytes = h.stored * (l.value + column);
            h.fits = !l.narrow || narrow(f, 32);
            break;
        case hyb: {
            const auto [width, share] = cut_rows(f, l.percent);
            const double rest = nnz * share;
            h.stored = rows * std::min(width, static_cast<double>(f.row_max)) + rest;
            h.bytes = (h.stored - rest) * (l.value + kIndex) + rest * (l.value + 2 * kIndex);
            break;
        }
        case bsr:
            h.stored = nnz / bsr_fill(f, l.r, l.c);
            h.bytes = h.stored * l.value + h.stored / l.r / l.c * kIndex + rows / l.r * 8;
            break;
        case dia:
            if (l.percent == kAll) {
                h.stored = static_cast<double>(f.diagonals) * rows;
                h.bytes = h.stored * l.value;
            } else {
                const double rest = nnz * (1 - f.dense_diagonal_share);
                h.stored = static_cast<double>(f.dense_diagonals) * rows + rest;
                h.bytes = (h.stored - rest) * l.value + rest * (l.value + kIndex) +
                          (rest > 0 ? (rows + 1) * 8 : 0);
                h.fits = f.dense_diagonals > 0;
            }
            break;
        case hdia: {
            // Diagonals that go on in every other row or less are not kept. Those of a slice hold
            // so many zeros as they end and begin in its midst; the rest is padded as SELL is.
            const double runs = f.diagonal_runs.value_or(0), on = std::max(2 * runs - 1, 0.0) * nnz;
            const double holes = 1 + (1 - runs) * std::log2(l.c);
            const double rest = (nnz - on) * (1 + sell_padding(f, l, 1));
            h.stored = on * holes + rest;
            h.gathered = rest;
            h.bytes =
                on * holes * (l.value + kIndex / l.c) + rest * (l.value + kIndex) + rows / l.c * 16;
            h.fits = runs > 0.5;
            break;
        }
    }
    h.fits = h.fits && h.bytes <= kMostBytes * csr_bytes(f, l);
    return h;
}

Holding holding(const Features& f, const Variant& v) {
    return holding(f, layout_of(v));
}

namespace {

/// Entries that slices of c rows cannot exceed, sorted in whatever windows or not: the longest of
/// every 32 rows is known of all rows, where `sell` may come from a sample that missed the few long
/// ones.
double most_stored(const Features& f, int c) {
    const double spanned = std::ceil(c / 32.0);  // times 32 rows
    const double unaligned = c % 32 == 0 || 32 % c == 0 ? 1 : 2;
    return f.warp_imbalance * spanned * unaligned * static_cast<double>(f.nnz);
}

}  // namespace

bool surely_fits(const Features& f, const Variant& v, std::optional<double> seen_bytes) {
    using enum Layout::Kind;
    if (is_reckoned(v.format))
        return seen_bytes.has_value();  // estimate() left out what is illegal
    Layout l = layout_of(v);
    if (v.format == "pjds") l.beside = false;  // pads long rows, whatever the predictions reckon
    const bool blocks = l.kind == bsr;
    if (v.vendor || !(blocks || l.kind == sell || l.kind == ell || l.kind == hdia)) return false;
    if (blocks && !(f.columns_sorted && f.cols >= l.c)) return false;
    if (l.narrow && f.passed_share < 1 && f.cols >= 65536) return false;
    Holding h = holding(f, l);
    constexpr double kManyDiagonals = 1 << 26;  // of a slice: more need huge tables
    if (l.kind == hdia && static_cast<double>(f.row_max) * l.c >= kManyDiagonals) return false;
    if (l.kind == sell && !l.beside && l.sigma != kAll && f.sampled_share < 1 &&
        most_stored(f, l.c) * (l.value + kIndex) > 2 * kMostBytes * csr_bytes(f, l))
        return false;
    // Diagonals that fill hardly a slice may be too short for any of them to be kept.
    constexpr std::int64_t kFewSlices = 4;
    if (l.kind == hdia && f.rows < kFewSlices * l.c) return false;
    if (seen_bytes) h = {*seen_bytes / l.value, *seen_bytes, true};  // as many entries at most
    // Threads sort their shares of the rows by themselves: each has a longest row, and slices of
    // it.
    if (v.format == "sell" && l.sigma != 1 && v.backend == Backend::cpu) {
        const double more =
            static_cast<double>(thread_count(0)) * l.c * static_cast<double>(f.row_max);
        h.stored += more, h.bytes += more * (l.value + kIndex);
    }
    constexpr double kManyEntries = 1 << 30;        // 32-bit counts have room for twice as many
    const bool exact = l.kind == ell && !l.narrow;  // the longest row is known
    return h.fits && h.stored < kManyEntries &&
           h.bytes <= (exact ? kMostBytes : kMostBytes / 2) * csr_bytes(f, l);
}

double vector_bytes(const Features& f, double value_bytes) {
    return static_cast<double>(f.rows + std::min(f.cols, f.nnz)) * value_bytes;
}

double held_bytes(const Features& features, const Layout& l) {
    constexpr double kHopeless = 1e18;
    const double bytes = holding(features, l).bytes;
    return bytes >= 0 && bytes < kHopeless ? bytes : kHopeless;
}

double held_bytes(const Features& f, const Variant& v) {
    return held_bytes(f, layout_of(v));
}

std::uint64_t estimated_bytes(const Features& f, const Layout& l) {
    return static_cast<std::uint64_t>(held_bytes(f, l) + vector_bytes(f, l.value));
}

std::uint64_t estimated_bytes(const Features& f, const Variant& v) {
    return estimated_bytes(f, layout_of(v));
}

}  // namespace sptune::models
