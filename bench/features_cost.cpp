// features_cost [--best] FILE...: what extract_features costs, in plain parallel CSR SpMVs of the
// same matrix (f64, all threads, medians of warm repeats; with --best their minima, for a machine
// that others use too). One line per matrix, then geometric mean and worst, apart for SpMVs of 50
// us or more.
#include "bench/repeated_time.hpp"
#include "kernels/parallel.hpp"
#include "kernels/registry.hpp"
#include "matrix/load.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string_view>
#include <vector>

namespace {

using namespace sptune;

/// Median or best microseconds.
double time_us(const std::function<void()>& call, bool best) {
    const std::vector<double> samples = repeated_us(call);
    return samples[best ? 0 : samples.size() / 2];
}

struct Ratios {
    double log_sum = 0, worst = 0;
    int count = 0, above = 0;
    void add(double ratio) {
        log_sum += std::log(ratio);
        worst = std::max(worst, ratio);
        above += ratio > 5;
        ++count;
    }
    void print(const char* which) const {
        if (count)
            std::printf("%s: %d matrices, geometric mean %.2f, worst %.2f, above 5: %d\n", which,
                        count, std::exp(log_sum / count), worst, above);
    }
};

}  // namespace

int main(int argc, char** argv) {
    const std::string id = spmv_baseline_id(Backend::cpu, ValueType::f64, IndexType::i32);
    const auto& kernels = spmv_kernels<double, std::int32_t>(Backend::cpu);
    const auto& plain = *std::find_if(kernels.begin(), kernels.end(),
                                      [&](const auto& k) { return k.variant.id() == id; });
    const int threads = resolve_threads(0);
    const bool best = argc > 1 && std::string_view(argv[1]) == "--best";
    Ratios all, large, small;
    for (int i = best ? 2 : 1; i < argc; ++i) {
        try {
            const auto matrix = load_matrix<double>(argv[i]);
            const auto a = matrix.view();
            const auto storage = plain.convert(a, plain.variant.params, threads);
            Buffer<double> x(static_cast<std::size_t>(a.cols), 1.0);
            Buffer<double> y(static_cast<std::size_t>(a.rows), 0.0);
            const double spmv = time_us(
                [&] { plain.apply(*storage, 1.0, x.data(), 0.0, y.data(), {threads}); }, best);
            const double features = time_us([&] { extract_features(a, threads); }, best);
            std::printf("%-60s %10d nonzeros  SpMV %9.1f us  features %9.1f us  ratio %6.2f\n",
                        argv[i], static_cast<int>(a.nnz()), spmv, features, features / spmv);
            all.add(features / spmv);
            (spmv < 50 ? small : large).add(features / spmv);
        } catch (const Error& e) {
            std::printf("%s: skipped: %s\n", argv[i], e.what());
        }
    }
    large.print("SpMV of 50 us or more");
    small.print("less than 50 us");
    all.print("all");
    return all.count ? 0 : 1;
}
