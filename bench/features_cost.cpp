// features_cost FILE...: what extract_features costs, in plain parallel CSR SpMVs of the same
// matrix (f64, all threads, medians of warm repeats). One line per matrix, then geometric mean and
// worst.
#include "kernels/parallel.hpp"
#include "kernels/registry.hpp"
#include "matrix/load.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <vector>

namespace {

using namespace sptune;

/// Median microseconds of repeats over a tenth of a second, five at least.
double median_us(const std::function<void()>& call) {
    using Clock = std::chrono::steady_clock;
    const auto us = [](Clock::duration d) {
        return std::chrono::duration<double, std::micro>(d).count();
    };
    for (int i = 0; i < 3; ++i) call();
    std::vector<double> samples;
    const auto begin = Clock::now();
    while (samples.size() < 5 || us(Clock::now() - begin) < 1e5) {
        const auto start = Clock::now();
        call();
        samples.push_back(us(Clock::now() - start));
    }
    std::nth_element(samples.begin(), samples.begin() + samples.size() / 2, samples.end());
    return samples[samples.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
    const std::string id = spmv_baseline_id(Backend::cpu, ValueType::f64, IndexType::i32);
    const auto& kernels = spmv_kernels<double, std::int32_t>(Backend::cpu);
    const auto& plain = *std::find_if(kernels.begin(), kernels.end(),
                                      [&](const auto& k) { return k.variant.id() == id; });
    const int threads = resolve_threads(0);
    double log_sum = 0, worst = 0;
    int measured = 0, above = 0;
    for (int i = 1; i < argc; ++i) {
        try {
            const auto matrix = load_matrix<double>(argv[i]);
            const auto a = matrix.view();
            const auto storage = plain.convert(a, plain.variant.params, threads);
            Buffer<double> x(static_cast<std::size_t>(a.cols), 1.0);
            Buffer<double> y(static_cast<std::size_t>(a.rows), 0.0);
            const double spmv =
                median_us([&] { plain.apply(*storage, 1.0, x.data(), 0.0, y.data(), {threads}); });
            const double features = median_us([&] { extract_features(a, threads); });
            std::printf("%-60s %10d nonzeros  SpMV %9.1f us  features %9.1f us  ratio %6.2f\n",
                        argv[i], static_cast<int>(a.nnz()), spmv, features, features / spmv);
            log_sum += std::log(features / spmv);
            worst = std::max(worst, features / spmv);
            above += features > 5 * spmv;
            ++measured;
        } catch (const Error& e) {
            std::printf("%s: skipped: %s\n", argv[i], e.what());
        }
    }
    if (measured)
        std::printf("%d matrices: geometric mean %.2f, worst %.2f, above 5: %d\n", measured,
                    std::exp(log_sum / measured), worst, above);
    return measured ? 0 : 1;
}
