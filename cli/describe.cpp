#include "cli/describe.hpp"

#include "db/knowledge.hpp"
#include "kernels/spmv/one_value.hpp"
#include "matrix/number.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace sptune::cli {
namespace {

using Phrases = std::vector<std::string>;

void describe_diagonals(const Features& f, Phrases& out) {
    if (f.rows == f.cols && f.bandwidth_max == 0)
        out.push_back("diagonal");
    else if (f.dense_diagonals > 0 && f.dense_diagonal_share >= 0.5)
        out.push_back(fmt::format("{} dense diagonal{} hold{} {} of the nonzeros",
                                  count(f.dense_diagonals), f.dense_diagonals == 1 ? "" : "s",
                                  f.dense_diagonals == 1 ? "s" : "",
                                  percent(f.dense_diagonal_share)));
    else if (f.top_diagonal_share[3] >= 0.5 && f.diagonals > 64)
        out.push_back(fmt::format("the 64 fullest of {} diagonals hold {} of the nonzeros",
                                  count(f.diagonals), percent(f.top_diagonal_share[3])));
    const auto side = static_cast<double>(std::max(f.rows, f.cols));
    if (f.bandwidth_max > 0 && side >= 100 && static_cast<double>(f.bandwidth_max) <= 0.05 * side)
        out.push_back(
            fmt::format("banded: nothing beyond {} from the diagonal", count(f.bandwidth_max)));
}

/// The largest block that is nearly full; every entry lies in a full 1×1 block.
void describe_blocks(const Features& f, Phrases& out) {
    const BsrFill* best = nullptr;
    for (const BsrFill& fill : f.bsr)
        if (fill.fill >= 0.75 && fill.r * fill.c > (best ? best->r * best->c : 1)) best = &fill;
    if (best)
        out.push_back(
            fmt::format("blocks of {}×{} are {} full", best->r, best->c, percent(best->fill)));
}

void describe_rows(const Features& f, Phrases& out) {
    const auto longest = static_cast<double>(f.row_max);
    if (f.row_min == f.row_max)
        out.push_back(f.row_max == 1 ? "one nonzero in every row"
                                     : fmt::format("every row has {} nonzeros", count(f.row_max)));
    else if (f.row_gini >= 0.5 && longest > 10 * f.row_mean)
        out.push_back(fmt::format("power-law rows: the longest is {} the mean",
                                  factor(longest / f.row_mean)));
    else if (longest > 20 * f.row_mean)
        out.push_back(
            fmt::format("a few long rows, up to {} the mean", factor(longest / f.row_mean)));
    else if (f.row_cv < 0.3)
        out.push_back("rows of similar length");
    else if (f.row_cv > 1)
        out.push_back("rows of very different length");
    const double empty = static_cast<double>(f.empty_rows) / static_cast<double>(f.rows);
    if (empty >= 0.02) out.push_back(percent(empty) + " of the rows are empty");
}

void describe_symmetry(const Features& f, Phrases& out) {
    if (f.rows != f.cols || f.bandwidth_max == 0) return;
    if (f.value_symmetry == 1)
        out.push_back("symmetric");
    else if (f.pattern_symmetry == 1)
        out.push_back("symmetric pattern");
    else if (f.pattern_symmetry >= 0.9)
        out.push_back("nearly symmetric pattern");
}

}  // namespace

std::vector<std::string> describe(const Features& f) {
    if (f.rows == 0 || f.cols == 0) return {"empty"};
    if (f.nnz == 0) return {"no nonzeros"};
    Phrases out;
    describe_diagonals(f, out);
    describe_blocks(f, out);
    describe_rows(f, out);
    describe_symmetry(f, out);
    if (f.density >= 0.1) out.push_back(percent(f.density) + " dense");
    if (f.cols_per_line > 0 && f.cols_per_line < 1.2 && f.bandwidth_max > 4096)
        out.push_back("scattered columns");
    if (f.constant_values) out.push_back("all values equal");
    if (out.empty()) out.push_back("no special structure");
    return out;
}

template <class T, class P>
std::string row_length_sparkline(CsrView<T, P> matrix, const Features& features) {
    if (matrix.rows == 0) return {};
    const auto low = static_cast<double>(features.row_min);
    const auto high = static_cast<double>(features.row_max);
    const bool one_bar_each = high - low < 16;
    const std::size_t bars = one_bar_each ? static_cast<std::size_t>(high - low) + 1 : 16;
    const double scale = static_cast<double>(bars) / std::log((high + 2) / (low + 1));
    std::vector<double> rows(bars);
    for (index_t i = 0; i < matrix.rows; ++i) {
        const auto length = static_cast<double>(matrix.row_ptr[i + 1] - matrix.row_ptr[i]);
        const double bin = one_bar_each ? length - low : scale * std::log((length + 1) / (low + 1));
        ++rows[std::min(static_cast<std::size_t>(std::max(bin, 0.0)), bars - 1)];
    }
    static constexpr const char* kBars[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    const double most = *std::max_element(rows.begin(), rows.end());
    std::string out;
    for (const double n : rows)
        out += n == 0 ? " " : kBars[std::min(7, static_cast<int>(8 * std::sqrt(n / most)))];
    return out;
}

#define SPTUNE_INSTANTIATE(T, P) \
    template std::string row_length_sparkline(CsrView<T, P>, const Features&);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

bool was_without_values(const db::Entry& entry) {
    if (!db::had_one_value(entry) || entry.device.backend != "cpu") return false;
    return std::ranges::any_of(entry.candidates, [&](const db::Candidate& c) {
        Variant v;
        v.op = Op::spmv, v.backend = Backend::cpu, v.format = c.format, v.params = c.params;
        return c.time && leaves_out_one_value(v, entry.matrix.rows, entry.matrix.nnz);
    });
}

std::string device_text(const db::Device& device) {
    return fmt::format("{}, {}, {}, {} GB/s from memory", device.name,
                       with_noun(std::to_string(device.threads),
                                 device.backend == "cuda" ? "multiprocessor" : "thread"),
                       device.simd, significant(device.bandwidth_gbs));
}

}  // namespace sptune::cli
