// A table of solvers that are given a matrix and nothing else: theirs, and the same with auto_spmv.
#pragma once

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
    std::vector<double> theirs_ms, ours_ms;  ///< runs; none where the matrix is not square
};

/// Prints a line for each matrix and how many of them auto_spmv wins.
inline void print_cg_table(const char* theirs, const std::vector<std::string>& files,
                           const std::function<CgTimes(const std::string& file)>& run) {
    const auto median = [](std::vector<double> v) {
        std::sort(v.begin(), v.end());
        return v[v.size() / 2];
    };
    fmt::print(
        "| matrix | rows | entries | {} ms | auto_spmv ms | speed-up |\n"
        "|---|---:|---:|---:|---:|---:|\n",
        theirs);
    std::vector<double> ratios;
    for (const std::string& file : files) try {
            const CgTimes t = run(file);
            if (t.ours_ms.empty()) continue;
            const double them = median(t.theirs_ms), us = median(t.ours_ms);
            ratios.push_back(them / us);
            fmt::print("| {} | {} | {} | {:.2f} | {:.2f} | {:.2f} |\n",
                       std::filesystem::path(file).stem().string(), t.rows, t.nnz, them, us,
                       them / us);
            std::fflush(stdout);
        } catch (const std::exception& e) {
            fmt::print(stderr, "{}: skipped: {}\n", file, e.what());
        }
    if (ratios.empty()) return;
    double sum = 0;
    for (const double r : ratios) sum += std::log(r);
    const auto below = [&](double least) {
        return std::count_if(ratios.begin(), ratios.end(), [=](double r) { return r < least; });
    };
    fmt::print(
        "\n{} matrices: {} faster, {} slower by more than 3 %, {} by more than 10 %, geometric "
        "mean {:.2f}, least {:.2f}\n",
        ratios.size(), static_cast<std::ptrdiff_t>(ratios.size()) - below(1.0), below(1 / 1.03),
        below(1 / 1.1), std::exp(sum / static_cast<double>(ratios.size())),
        *std::min_element(ratios.begin(), ratios.end()));
}

}  // namespace sptune::bench
