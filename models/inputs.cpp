#include "models/inputs.hpp"

#include "kernels/simd_target.hpp"
#include "matrix/lasting.hpp"
#include "models/holding.hpp"
#include "models/starting.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace sptune::models {
namespace {

/// A layout whose bytes, relative to those of CSR, are an input.
Variant layout(const char* format, Params params, ValueType value, Backend backend) {
    Variant v;
    v.backend = backend;
    v.format = format, v.algorithm = "rows", v.params = std::move(params), v.value = value;
    return v;
}

/// sell_probes() that matter: short and long slices, unsorted, sorted near by and far.
bool wanted(const SellProbe& p) {
    return (p.c == 4 || p.c == 8 || p.c == 16 || p.c == 32 || p.c == 256) &&
           (p.sigma == 1 || p.sigma == 8 * p.c || p.sigma == 4096);
}

/// Layouts whose bytes, x and y among them, are inputs: what a kernel has to move decides where a
/// matrix is large, and sums are hard to learn for trees.
const std::vector<Layout>& moved_layouts(ValueType value, Backend backend) {
    const auto make = [](ValueType type, Backend of) {
        std::vector<Variant> list;
        const auto layout = [&](const char* format, Params params) {
            return models::layout(format, std::move(params), type, of);
        };
        for (const int x : {32, 16}) {
            for (const int c : {2, 32})
                list.push_back(layout("sell", {{"c", c}, {"s", 1}, {"x", x}}));
            list.push_back(layout("sell", {{"c", 32}, {"s", kAll}, {"x", x}}));
            list.push_back(layout("ell", {{"x", x}}));
        }
        for (const int q : {50, 75, 95}) list.push_back(layout("hyb", {{"q", q}}));
        list.push_back(layout("hdia", {{"c", 32}}));
        list.push_back(layout("dia", {{"f", 60}}));
        list.push_back(layout("dia", {{"f", kAll}}));
        for (const auto& [r, c] : {std::pair{1, 2},
                                   {2, 1},
                                   {1, 3},
                                   {3, 1},
                                   {1, 4},
                                   {4, 1},
                                   {1, 8},
                                   {8, 1},
                                   {2, 2},
                                   {3, 3},
                                   {4, 4},
                                   {8, 8}})
            list.push_back(layout("bsr", {{"r", r}, {"c", c}}));
        std::vector<Layout> layouts;
        for (const Variant& v : list) layouts.push_back(layout_of(v));
        return layouts;
    };
    using enum ValueType;
    static const auto& lists = lasting([=] {
        return std::array{make(f32, Backend::cpu), make(f64, Backend::cpu),
                          make(f32, Backend::cuda), make(f64, Backend::cuda)};
    });
    return lists[(backend == Backend::cuda ? 2 : 0) + (value == f64 ? 1 : 0)];
}

double log2_of(double value) {
    return std::log2(1 + std::max(value, 0.0));
}

/// Calls put(name, number) for every input. The names are made only when asked for, since this runs
/// at each selection.
template <class Put>
void visit_inputs(const Features& f, const db::Device& device, ValueType type, Put put) {
    const double rows = std::max(static_cast<double>(f.rows), 1.0);
    const double cols = std::max(static_cast<double>(f.cols), 1.0);
    const double nnz = std::max(static_cast<double>(f.nnz), 1.0);
    const double mean = std::max(f.row_mean, 1e-6), longest = static_cast<double>(f.row_max);
    const double value = type == ValueType::f64 ? 8 : 4;

    put("value_bytes", value);
    put("rows", std::log2(rows));
    put("cols", std::log2(cols));
    put("nnz", std::log2(nnz));
    put("aspect", std::log2(rows / cols));
    put("density", std::log2(std::max(f.density, 1e-12)));

    put("row_min", static_cast<double>(f.row_min) / mean);
    put("row_mean", log2_of(f.row_mean));
    put("row_median", f.row_median / mean);
    put("row_max", log2_of(longest));
    put("row_max_over_mean", log2_of(longest / mean));
    put("row_max_share", std::log2(std::max(longest, 1.0) / nnz));
    put("row_cv", f.row_cv);
    put("row_skew", f.row_skew);
    put("row_gini", f.row_gini);
    put("empty_rows", static_cast<double>(f.empty_rows) / rows);
    put("row_neighbour_diff", f.row_neighbour_diff / mean);
    put("warp_imbalance", log2_of(f.warp_imbalance));

    put("diagonals", std::log2(std::max(static_cast<double>(f.diagonals), 1.0)));
    put("diagonals_per_length", std::log2(std::max(static_cast<double>(f.diagonals), 1.0) / mean));
    put("dia_fill", f.dia_fill);
    put("dense_diagonals", log2_of(static_cast<double>(f.dense_diagonals)));
    put("dense_diagonal_share", f.dense_diagonal_share);
    for (std::size_t i = 0; i < f.top_diagonal_share.size(); ++i)
        put(i == 0   ? "top1"
            : i == 1 ? "top4"
            : i == 2 ? "top16"
                     : "top64",
            f.top_diagonal_share[i]);
    put("bandwidth_max", log2_of(static_cast<double>(f.bandwidth_max)));
    put("bandwidth_mean", log2_of(f.bandwidth_mean));
    put("bandwidth_share", f.bandwidth_mean / cols);
    put("pattern_symmetry", f.pattern_symmetry);

    put("ell_fill", f.ell_fill);
    const Backend backend = device.backend == "cpu" ? Backend::cpu : Backend::cuda;
    const auto& paddings = backend == Backend::cpu ? paddings_beside(f) : f.sell;
    // Entries of other versions may have other probes; each has its place.
    for (const SellProbe& probe : sell_probes()) {
        if (!wanted(probe)) continue;
        const auto found = std::ranges::find_if(paddings, [&](const SellPadding& p) {
            return p.c == probe.c && p.sigma == probe.sigma;
        });
        put("sell", found == paddings.end() ? 0 : log2_of(found->padding));
    }
    for (const BsrProbe& probe : bsr_probes()) {
        const auto found = std::find_if(f.bsr.begin(), f.bsr.end(), [&](const BsrFill& b) {
            return b.r == probe.r && b.c == probe.c;
        });
        put("bsr", found == f.bsr.end() ? 0 : found->fill);
    }
    for (const double rest : f.hyb_remainder) put("hyb_remainder", rest);
    put("cols_per_line", f.cols_per_line);
    put("column_gap", log2_of(f.column_gap));
    put("reuse_distance", log2_of(f.reuse_distance));

    const double csr = nnz * (value + sizeof(index_t)) + rows * 4;
    const double all = csr + vector_bytes(f, value);
    const double cache = std::max(static_cast<double>(device.llc_bytes), 1.0);
    put("csr_bytes", std::log2(csr));
    put("csr_in_cache", std::log2(all / cache));
    put("x_in_cache", std::log2(cols * value / cache));
    put("threads", std::log2(std::max(device.threads, 1)));
    put("rows_per_thread", std::log2(rows / std::max(device.threads, 1)));

    static const Params& dense = lasting([] { return Params{{"f", 60}}; });
    static const Params& diagonals = lasting([] { return Params{{"f", kAll}}; });
    const auto relative = [&](const char* name, const char* format, const Params& params) {
        put(name, std::log2(std::max(holding(f, layout(format, params, type, backend)).bytes, 1.0) /
                            csr));
    };
    relative("dia_bytes", "dia", diagonals);
    relative("dia_dense_bytes", "dia", dense);
    double blocks = 10;
    for (const BsrFill& b : f.bsr)
        blocks = std::min(blocks, (value + 4.0 / (b.r * b.c)) / std::max(b.fill, 1e-3) /
                                      (value + sizeof(index_t)));
    put("bsr_bytes", std::log2(blocks));
    put("narrow", f.cols < 65536 ? 2 : 2 * static_cast<double>(f.bandwidth_max) < 65000 ? 1 : 0);
    // What came later stands at the end, for models that do not know it.
    put("diagonal_runs", f.diagonal_runs.value_or(-1));
    double least = all;
    for (const Layout& l : moved_layouts(type, backend)) {
        const double bytes = std::max(static_cast<double>(estimated_bytes(f, l)), 1.0);
        least = std::min(least, bytes);
        put("moved", std::clamp(std::log2(bytes / all), -3.0, 4.0));
    }
    put("least_moved", std::log2(least / all));
    put("least_in_cache", std::log2(least / cache));
    put("row_max_of_thread", std::log2(std::max(longest, 1.0) * std::max(device.threads, 1) / nnz));
    put("gathers", device.simd == kGatheringSimd);
    put("start", std::log2(start_or_usual_us(device)));
    put("long_rows", backend == Backend::cpu && f.long_rows ? f.long_rows->share : 0);
}

}  // namespace

const std::vector<std::string>& input_names() {
    static const auto& names = lasting([] {
        std::vector<std::string> list;
        std::size_t next = 0;
        const char* before = "";
        visit_inputs({}, {}, ValueType::f64, [&](const char* name, double) {
            next = std::string_view(before) == name ? next + 1 : 0;
            before = name;
            list.push_back(next == 0 ? name : fmt::format("{}{}", name, next));
        });
        return list;
    });
    return names;
}

std::vector<float> inputs(const Features& f, const db::Device& device, ValueType value) {
    std::vector<float> row;
    row.reserve(input_names().size());
    visit_inputs(f, device, value, [&](const char*, double number) {
        row.push_back(std::isfinite(number) ? static_cast<float>(number) : 0.0f);
    });
    return row;
}

std::array<double, 11> bestsf_inputs(const Features& f) {
    const double rows = static_cast<double>(f.rows), cols = static_cast<double>(f.cols);
    const double nnz = static_cast<double>(f.nnz), longest = static_cast<double>(f.row_max);
    return {rows,
            cols,
            nnz,
            f.row_mean,
            rows * cols > 0 ? nnz / (rows * cols) : 0,
            f.row_std,
            f.row_cv,
            longest,
            longest - f.row_mean,
            f.column_gap,
            static_cast<double>(f.diagonals)};
}

}  // namespace sptune::models
