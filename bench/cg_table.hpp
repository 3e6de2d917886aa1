// A table of solvers that are given a matrix and nothing else: theirs, and the same with auto_spmv.
#pragma once

#include "bench/median.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace sptune::bench {

struct CgTimes {
    std::int64_t rows = 0, nnz = 0;
    std::vector<double> theirs_ms, ours_ms;  ///< turns; none where the matrix is not square
};

/// Theirs over ours of each turn: the median, and its standard error, for which the median
/// deviation stands in (as of a normal distribution).
struct SpeedUp {
    double median = 0, error = 0;

    explicit SpeedUp(const CgTimes& t) {
        constexpr double kOfDeviation = 1.4826, kOfMedian = 1.2533;
        std::vector<double> ratios, off;
        for (std::size_t i = 0; i < t.ours_ms.size(); ++i)
            ratios.push_back(t.theirs_ms[i] / t.ours_ms[i]);
        median = bench::median(ratios);
        for (const double r : ratios) off.push_back(std::abs(r - median));
        error = kOfDeviation * kOfMedian * bench::median(off) /
                std::sqrt(static_cast<double>(ratios.size()));
    }
};

/// Both by turns, each the first in every other one, until the speed-up is known to 0.7 % or there
/// were enough. `theirs` and `ours` return milliseconds; the very first turn, in which code and
/// models are loaded, does not count.
template <class Theirs, class Ours>
void take_turns(CgTimes& times, const Theirs& theirs, const Ours& ours) {
    constexpr std::size_t kLeast = 7, kMost = 41;
    constexpr double kKnown = 0.007, kLongMs = 10'000;
    theirs(), ours();
    double spent = 0;
    for (std::size_t turn = 1; turn <= kMost; ++turn) {
        double them = 0, us = 0;
        if (turn % 2)
            them = theirs(), us = ours();
        else
            us = ours(), them = theirs();
        times.theirs_ms.push_back(them), times.ours_ms.push_back(us);
        spent += them + us;
        if (turn >= kLeast && (SpeedUp(times).error < kKnown || spent > kLongMs)) return;
    }
}

/// Prints a line for each matrix and how many of them auto_spmv wins.
inline void print_cg_table(const char* theirs, const std::vector<std::string>& files,
                           const std::function<CgTimes(const std::string& file)>& run) {
    fmt::print(
        "| matrix | rows | entries | {} ms | auto_spmv ms | speed-up | ± | turns |\n"
        "|---|---:|---:|---:|---:|---:|---:|---:|\n",
        theirs);
    std::vector<SpeedUp> all;
    for (const std::string& file : files) try {
            const CgTimes t = run(file);
            if (t.ours_ms.empty()) continue;
            const SpeedUp& s = all.emplace_back(t);
            fmt::print("| {} | {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.3f} | {} |\n",
                       std::filesystem::path(file).stem().string(), t.rows, t.nnz,
                       median(t.theirs_ms), median(t.ours_ms), s.median, s.error, t.ours_ms.size());
            std::fflush(stdout);
        } catch (const std::exception& e) {
            fmt::print(stderr, "{}: skipped: {}\n", file, e.what());
        }
    if (all.empty()) return;
    double sum = 0, least = all.front().median;
    for (const SpeedUp& s : all) sum += std::log(s.median), least = std::min(least, s.median);
    const auto below = [&](double limit, double errors) {
        return std::ranges::count_if(
            all, [=](const SpeedUp& s) { return s.median + errors * s.error < limit; });
    };
    fmt::print(
        "\n{} matrices: {} faster, {} slower by more than 3 % ({} of them by more than twice the "
        "error beyond that), {} by more than 10 %, geometric mean {:.2f}, least {:.2f}\n",
        all.size(), static_cast<std::ptrdiff_t>(all.size()) - below(1.0, 0), below(1 / 1.03, 0),
        below(1 / 1.03, 2), below(1 / 1.1, 0), std::exp(sum / static_cast<double>(all.size())),
        least);
}

}  // namespace sptune::bench
