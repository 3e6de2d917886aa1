#include "models/holding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sptune::models {
namespace {

constexpr double kIndex = sizeof(index_t), kOffset = sizeof(std::uint16_t);

/// Times the bytes of CSR: the same cap as Limits::storage_factor.
constexpr double kMostBytes = 4;

double value_bytes(const Variant& v) {
    return v.value == ValueType::f64 ? 8 : 4;
}

double pointer_bytes(const Variant& v) {
    return v.index == IndexType::i64 ? 8 : 4;
}

double csr_bytes(const Features& f, const Variant& v) {
    return static_cast<double>(f.nnz) * (value_bytes(v) + kIndex) +
           (static_cast<double>(f.rows) + 1) * pointer_bytes(v);
}

/// Padding of the probed (C, σ) that comes nearest to the one asked for: the same C where there is
/// one, then the nearest σ.
double sell_padding(const Features& f, int c, int sigma) {
    for (const SellPadding& probe : f.sell)  // the usual case; distances cost two logarithms each
        if (probe.c == c && probe.sigma == sigma) return probe.padding;
    const auto window = [&](int s) {
        return s == kAll ? std::log2(static_cast<double>(f.rows) + 1) : std::log2(s);
    };
    double best = std::numeric_limits<double>::infinity(), padding = 0;
    for (const SellPadding& probe : f.sell) {
        const double distance = 100 * std::abs(std::log2(static_cast<double>(probe.c) / c)) +
                                std::abs(window(probe.sigma) - window(sigma));
        if (distance < best) best = distance, padding = probe.padding;
    }
    return padding;
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

/// Whether the columns of `rows` neighbouring rows surely span less than 2^16.
bool narrow(const Features& f, double rows) {
    return f.cols < 65536 || 2 * static_cast<double>(f.bandwidth_max) + rows < 65536;
}

/// The layout behind a vendor's kernel; where the vendor does not say, it starts from CSR.
std::string_view layout_format(const Variant& v) {
    if (!v.vendor) return v.format;
    for (const std::string_view known : {"coo", "sell", "bsr"})
        if (v.algorithm == known) return known;
    return "csr";
}

}  // namespace

int param_or(const Params& params, std::string_view name, int fallback) {
    for (const Param& p : params)
        if (p.name == name) return p.value;
    return fallback;
}

Holding holding(const Features& f, const Variant& v) {
    const double rows = static_cast<double>(f.rows), nnz = static_cast<double>(f.nnz);
    const double value = value_bytes(v);
    const double pointer = pointer_bytes(v);
    const bool compressed = param_or(v.params, "x", 32) == 16;
    const double column = compressed ? kOffset : kIndex;
    const std::string_view format = layout_format(v);
    Holding h{nnz, nnz * (value + column) + (rows + 1) * pointer, true};

    if (format == "csr") {
        if (compressed) h.bytes += rows * kIndex, h.fits = narrow(f, 1) || v.algorithm == "tiles";
    } else if (format == "coo") {
        h.bytes = nnz * (value + 2 * kIndex);
    } else if (format == "csc") {
        h.bytes = nnz * (value + kIndex) + static_cast<double>(f.cols + 1) * 8;
    } else if (format == "sell" || format == "pjds") {
        const int c = std::max(param_or(v.params, "c", 32), 1);
        const int sigma = format == "pjds" ? kAll : param_or(v.params, "s", 1);
        h.stored = nnz * (1 + sell_padding(f, c, sigma));
        h.bytes = h.stored * (value + column) + rows / c * (8 + (compressed ? kIndex : 0)) +
                  (sigma == 1 ? 0 : rows * kIndex);
        h.fits = !compressed || narrow(f, sigma == kAll ? rows : std::max(c, sigma));
    } else if (format == "ell") {
        h.stored = f.ell_fill > 0 ? nnz / f.ell_fill : 0;
        h.bytes = h.stored * (value + column);
        h.fits = !compressed || narrow(f, 32);
    } else if (format == "hyb") {
        const auto [width, share] = cut_rows(f, param_or(v.params, "q", 90));
        const double rest = nnz * share;
        h.stored = rows * std::min(width, static_cast<double>(f.row_max)) + rest;
        h.bytes = (h.stored - rest) * (value + kIndex) + rest * (value + 2 * kIndex);
    } else if (format == "bsr") {
        const int r = param_or(v.params, "r", 1), c = param_or(v.params, "c", 1);
        h.stored = nnz / bsr_fill(f, r, c);
        h.bytes = h.stored * value + h.stored / (r * c) * kIndex + rows / r * 8;
    } else if (format == "dia") {
        if (param_or(v.params, "f", kAll) == kAll) {
            h.stored = static_cast<double>(f.diagonals) * rows;
            h.bytes = h.stored * value;
        } else {
            const double rest = nnz * (1 - f.dense_diagonal_share);
            h.stored = static_cast<double>(f.dense_diagonals) * rows + rest;
            h.bytes = (h.stored - rest) * value + rest * (value + kIndex) +
                      (rest > 0 ? (rows + 1) * 8 : 0);
            h.fits = f.dense_diagonals > 0;
        }
    } else if (format == "hdia") {
        // Diagonals that go on in every other row or less are not kept. Those of a slice hold so
        // many zeros as they end and begin in its midst; the rest is padded as SELL is.
        const double c = std::max(param_or(v.params, "c", 8), 1);
        const double runs = f.diagonal_runs.value_or(0), on = std::max(2 * runs - 1, 0.0) * nnz;
        const double holes = 1 + (1 - runs) * std::log2(c);
        const double rest = (nnz - on) * (1 + sell_padding(f, static_cast<int>(c), 1));
        h.stored = on * holes + rest;
        h.bytes = on * holes * (value + kIndex / c) + rest * (value + kIndex) + rows / c * 16;
        h.fits = runs > 0.5;
    }
    h.fits = h.fits && h.bytes <= kMostBytes * csr_bytes(f, v);
    return h;
}

bool surely_fits(const Features& f, const Variant& v) {
    const bool blocks = v.format == "bsr";
    if (v.vendor || !(blocks || v.format == "sell" || v.format == "ell" || v.format == "pjds" ||
                      v.format == "hdia"))
        return false;
    if (blocks && !(f.columns_sorted && f.cols >= param_or(v.params, "c", 1))) return false;
    const Holding h = holding(f, v);
    constexpr double kManyEntries = 1 << 30;  // 32-bit counts have room for twice as many
    return h.fits && h.stored < kManyEntries && h.bytes <= kMostBytes / 2 * csr_bytes(f, v);
}

std::uint64_t estimated_bytes(const Features& f, const Variant& v) {
    const double vectors =
        (static_cast<double>(f.rows) + static_cast<double>(f.cols)) * value_bytes(v);
    return static_cast<std::uint64_t>(holding(f, v).bytes + vectors);
}

}  // namespace sptune::models
