#include "models/heuristic.hpp"

#include "models/holding.hpp"
#include "models/launching.hpp"
#include "models/reckoned.hpp"

#include <algorithm>
#include <cmath>

namespace sptune::models {
namespace {

constexpr double kKiB = 1024;

/// How a kernel goes about its work. Times are of one core of some 3 GHz, f64.
struct Habit {
    const char* format;
    const char* algorithm;
    double entry_ns;     ///< CPU: per stored entry
    double row_ns;       ///< CPU: per row
    double reach;        ///< GPU: share of the bandwidth that it can use
    double convert;      ///< in plain CSR SpMVs
    double convert_gpu;  ///< the same on a GPU, beyond kGpuConvertUs
};

// The first that matches counts; "" matches all. Estimates from a few sweeps of regular matrices on
// an AVX2 machine and an H200, not fitted to any set.
constexpr Habit kHabits[] = {
    {"csr", "static", 0.75, 1.5, 0, 0, 0},   {"csr", "dynamic", 0.75, 1.8, 0, 0, 0},
    {"csr", "balanced", 0.75, 1.8, 0, 0, 0}, {"csr", "merge", 0.80, 2.2, 0.75, 0, 1},
    {"csr", "scalar", 0, 0, 0.5, 0, 0},      {"csr", "gridstride", 0, 0, 0.5, 0, 0},
    {"csr", "vector", 0, 0, 0.85, 0, 0},     {"csr", "tiles", 0, 0, 0.85, 0, 3},
    {"sell", "", 0.33, 0.5, 0.92, 5, 15},    {"ell", "", 0.36, 0.5, 0.92, 3, 8},
    {"pjds", "", 0.70, 1.5, 0.80, 6, 25},    {"hyb", "", 0.45, 1.0, 0.85, 6, 15},
    {"dia", "rows", 0.20, 0.5, 0.90, 8, 10}, {"dia", "hybrid", 0.30, 1.5, 0.85, 10, 15},
    {"hdia", "", 0.22, 0.5, 0.90, 12, 25},   {"bsr", "sliced", 0, 0, 0.92, 0, 25},
    {"bsr", "", 0.30, 1.0, 0.80, 6, 20},     {"coo", "", 1.50, 1.0, 0.60, 2, 8},
    {"csc", "", 1.60, 2.0, 0.20, 14, 30},    {"hub", "", 0, 0, 0.60, 0, 30},
    {"strips", "", 0, 0, 0.60, 0, 30},       {"tiles2d", "", 0, 0, 0.60, 0, 30},
    {"mkl", "", 0.60, 2.0, 0, 3, 0},         {"cusparse", "csr", 0, 0, 0.75, 0, 1},
    {"cusparse", "sell", 0, 0, 0.85, 0, 15}, {"cusparse", "", 0, 0, 0.60, 0, 20},
    {"", "", 1.00, 1.0, 0.50, 10, 20},
};

constexpr double kGpuConvertUs = 150;  ///< allocations and a few launches

const Habit& habit_of(const Variant& v) {
    return *std::find_if(std::begin(kHabits), std::end(kHabits), [&](const Habit& h) {
        return (!*h.format || v.format == h.format) &&
               (!*h.algorithm || v.algorithm == h.algorithm);
    });
}

/// A CSR variant that works on the caller's own arrays, and so needs no conversion.
bool in_place(const Variant& v) {
    return v.format == "csr" && param_or(v.params, "x", 32) == 32 && v.algorithm != "tiles" &&
           (v.backend == Backend::cpu || v.algorithm != "merge");
}

/// The matrix and the device as all kernels see them.
struct Scene {
    const Features& f;
    const db::Device& device;
    double rows, nnz;
};

/// Share of the gathers of x that miss a cache of `near_bytes`: none where the rows of a
/// neighbourhood read the same columns.
double missed(const Scene& s, double value_bytes, double near_bytes) {
    const double window =
        std::min(2 * s.f.bandwidth_mean, static_cast<double>(s.f.cols)) * value_bytes;
    return std::clamp((window - near_bytes) / std::max(window, 1.0), 0.0, 1.0);
}

double cpu_us(const Scene& s, const Variant& v, const Holding& held, double bytes) {
    const Habit& habit = habit_of(v);
    const int all = std::max(s.device.threads, 1);
    const int threads = param_or(v.params, "w", kAll) == 1 ? 1 : all;
    const double value = v.value == ValueType::f64 ? 8 : 4;
    double entry = habit.entry_ns, row = habit.row_ns;
    if (v.format == "csr") {
        // One entry at a time waits for the sum; vectors cost a horizontal sum for each row.
        const bool vector = param_or(v.params, "l", 1) == kAll;
        if (vector) entry = 0.40, row += 2.5;
        if (!vector && param_or(v.params, "u", 1) > 1) entry = 0.62, row += 0.8;
    }
    if (v.format != "coo" && v.format != "csc" && value == 4) entry *= 0.75;

    const double longest = static_cast<double>(s.f.row_max);
    // Rows are dealt out in order: where their lengths vary, so does the work of the threads.
    const bool by_rows =
        v.algorithm == "static" || v.format == "sell" || v.format == "ell" || v.format == "hdia";
    const double uneven =
        threads == 1 ? 1 : 1 + (by_rows ? 0.15 * std::min(s.f.row_cv, 3.0) : 0.02);
    const double share = std::max(held.stored / threads,
                                  v.algorithm == "merge" || v.format == "coo" ? 0.0 : longest);
    const double work_us = (share * entry + s.rows / threads * row) * uneven / 1e3;

    // One thread has its share of the caches' bandwidth, but more than that of the memory's.
    const bool cached = bytes < static_cast<double>(s.device.llc_bytes);
    const double part = threads == all ? 1 : cached ? 1.0 / all : 1 / std::sqrt(all);
    const double stream_us = bytes / (bandwidth_gbs(s.device, bytes) * part) / 1e3;
    const double far =
        static_cast<double>(s.f.cols) * value > 0.5 * static_cast<double>(s.device.llc_bytes) ? 12
                                                                                              : 3;
    const double gather_us = missed(s, value, 512 * kKiB) * s.nnz /
                             std::max(s.f.cols_per_line, 1.0) * far / threads / 1e3;
    const double start_us =
        s.device.launch_us > 0 ? s.device.launch_us : 1 + 0.3 * std::log2(threads);
    const double fork_us = threads > 1 ? start_us : 0;
    return 0.2 + fork_us + std::max(work_us, stream_us) + 0.25 * std::min(work_us, stream_us) +
           gather_us;
}

/// Threads that share a row.
double row_threads(const Variant& v) {
    if (v.format == "csr" && v.algorithm == "vector") return param_or(v.params, "t", 1);
    if (v.format == "sell" || v.format == "ell" || v.format == "pjds" || v.format == "hdia")
        return param_or(v.params, "t", 1);
    if (v.format == "bsr" && v.algorithm == "rows") return 32;
    return 1;
}

double gpu_us(const Scene& s, const Variant& v, const Holding& held, double bytes) {
    const Habit& habit = habit_of(v);
    const double value = v.value == ValueType::f64 ? 8 : 4;
    const double mean = std::max(s.f.row_mean, 1.0), longest = static_cast<double>(s.f.row_max);
    const double team = row_threads(v);
    double waste = 1;
    if (v.algorithm == "scalar" || v.algorithm == "gridstride")
        waste = s.f.warp_imbalance * (1 + 0.1 * std::min(mean, 32.0));
    else if (v.format == "csr" && v.algorithm == "vector")
        waste = (1 + 0.5 * (std::ceil(mean / team) * team / mean - 1)) *
                (1 + std::max(s.f.warp_imbalance - 1, 0.0) / team);
    const double stream_us = bytes * waste / (bandwidth_gbs(s.device, bytes) * habit.reach) / 1e3;

    // Gathers of x go through the L2 cache, about a sector of 32 bytes in a cycle for each
    // multiprocessor; where x is larger than the cache, half of them go on to the memory.
    const double sectors = s.nnz / std::clamp(s.f.cols_per_line, 1.0, 32 / value);
    const double rate = std::max(s.device.threads, 1) * 1.0e3;  // per microsecond
    const bool spills =
        static_cast<double>(s.f.cols) * value > 0.5 * static_cast<double>(s.device.llc_bytes);
    const double gather_us =
        missed(s, value, 128 * kKiB) * sectors / rate * (spills ? 2 : 1) * (held.stored / s.nnz);

    // The thread with the most to do: its loads come one after the other, a few in flight.
    const bool split = v.algorithm == "tiles" || v.algorithm == "merge" || v.format == "coo" ||
                       v.vendor || v.format == "hyb" || v.format == "csc" || v.format == "hub" ||
                       v.format == "strips" || v.format == "tiles2d";
    const double chain = split ? std::min(longest, 16.0) : longest / team;
    constexpr double kStepUs = 0.02;
    const double launches = launches_of(v);
    const double extra = v.vendor ? 4 : 1.5;
    return launches * std::max(s.device.launch_us, 1.0) + extra +
           std::max({stream_us, gather_us, chain * kStepUs});
}

}  // namespace

double bandwidth_gbs(const db::Device& device, double bytes) {
    const auto& curve = device.bandwidth_curve;
    if (curve.empty()) {
        if (device.bandwidth_gbs > 0) return std::max(device.bandwidth_gbs, 1.0);
        if (device.backend == "cuda") return 2000;
        const double threads = std::max(device.threads, 1);
        const bool cached = bytes < static_cast<double>(device.llc_bytes);
        return cached ? 40 * threads : 15 * std::sqrt(threads);
    }
    const auto above = std::find_if(curve.begin(), curve.end(), [&](const db::BandwidthPoint& p) {
        return static_cast<double>(p.bytes) >= bytes;
    });
    if (above == curve.begin()) return std::max(curve.front().gbs, 1.0);
    if (above == curve.end()) return std::max(curve.back().gbs, 1.0);
    const auto below = above - 1;
    const double low = std::log(static_cast<double>(below->bytes));
    const double high = std::log(static_cast<double>(above->bytes));
    const double t = (std::log(bytes) - low) / std::max(high - low, 1e-9);
    return std::max(below->gbs + t * (above->gbs - below->gbs), 1.0);
}

double typical_convert_us(const Variant& v, double csr_us) {
    if (in_place(v)) return 0;
    const Habit& habit = habit_of(v);
    if (v.backend == Backend::cuda) return kGpuConvertUs + habit.convert_gpu * csr_us;
    if (v.format == "csr") return 2 + 1.5 * csr_us;  // 16-bit columns
    // Sorting windows of rows costs about as much again as the layout, all rows twice that.
    const int sigma = v.format == "sell" ? param_or(v.params, "s", 1) : 1;
    const double sorting = sigma == 1 ? 1 : sigma == kAll || sigma >= 4096 ? 3 : 2;
    return 5 + habit.convert * sorting * csr_us;
}

bool Heuristic::covers(Op op, ValueType, const db::Device&) const {
    return op == Op::spmv;
}

bool Heuristic::knows(const Variant& v) const {
    if (v.op != Op::spmv) return false;
    const auto is = [&](std::string_view name, std::initializer_list<int> values) {
        const int have = param_or(v.params, name, -1);
        return have == -1 || std::find(values.begin(), values.end(), have) != values.end();
    };
    if (v.format == "pjds" || v.format == "csc" || is_reckoned(v.format)) return false;
    if (v.vendor) return true;
    if (v.backend == Backend::cpu) {
        if (v.format == "csr")
            return v.algorithm != "dynamic" && is("u", {1, 2}) &&
                   (param_or(v.params, "l", 1) == kAll || v.algorithm == "static");
        if (v.format == "sell") return is("c", {4, 8, 16}) && is("s", {1, 128, 4096});
        if (v.format == "ell" || v.format == "hyb") return is("c", {8}) && is("q", {75, 95});
        if (v.format == "dia") return is("u", {4}) && is("f", {kAll, 60});
        if (v.format == "hdia") return is("c", {16, 32}) && is("f", {50});
        return true;
    }
    if (!is("b", {256})) return false;
    if (v.format == "csr") return v.algorithm != "gridstride" && is("n", {1024}) && is("m", {2048});
    if (v.format == "sell") return is("c", {2, 4, 8, 32}) && is("s", {1, 64, 4096});
    if (v.format == "dia") return is("u", {4}) && is("r", {1}) && is("f", {kAll, 60});
    if (v.format == "hdia") return is("c", {32}) && is("t", {1, 4}) && is("f", {50});
    if (v.format == "bsr") return v.algorithm == "sliced" ? is("u", {1}) : is("g", {1});
    if (v.format == "coo") return is("i", {8});
    return is("q", {75, 95});
}

std::vector<Prediction> Heuristic::predict(const Features& f, const db::Device& device,
                                           std::span<const Option> options) const {
    const Scene scene{f, device, static_cast<double>(f.rows),
                      std::max(static_cast<double>(f.nnz), 1.0)};
    std::vector<Prediction> out;
    out.reserve(options.size());
    double csr_us = 0;
    for (const Option& option : options) {
        const Variant& v = *option.variant;
        const Holding held = holding(f, v);
        const double bytes =
            static_cast<double>(option.bytes ? option.bytes : estimated_bytes(f, v));
        const double us = v.backend == Backend::cpu ? cpu_us(scene, v, held, bytes)
                                                    : gpu_us(scene, v, held, bytes);
        if (csr_us == 0 && in_place(v)) csr_us = us;
        out.push_back({us, 0});
    }
    if (csr_us == 0)  // none was offered: plain CSR streams its arrays
        csr_us = scene.nnz * 12 / bandwidth_gbs(device, scene.nnz * 12) / 1e3;
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i].convert_us = typical_convert_us(*options[i].variant, csr_us);
    return out;
}

double Heuristic::confidence(const Variant&, const Features& f, const db::Device&) const {
    // Structure that decides by itself: dense diagonals, full blocks, no structure at all.
    double structure = f.dense_diagonal_share;
    for (const BsrFill& b : f.bsr)
        if (b.r * b.c >= 4) structure = std::max(structure, 2 * b.fill - 1);
    return 0.25 + 0.25 * std::clamp(structure, 0.0, 1.0);
}

}  // namespace sptune::models
