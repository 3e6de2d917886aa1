#include "tuner/verify.hpp"

#include "kernels/reference.hpp"
#include "matrix/counter_random.hpp"
#include "tuner/tolerance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <fmt/format.h>

namespace sptune::tuner {
namespace {

constexpr std::size_t kWorthThreads = 10'000;  ///< rows; fewer are done before a team has started

/// Number `i` of stream `seed`, uniform in (-1, 1) and never 0.
template <class T>
T noise(std::uint64_t seed, std::uint64_t i) {
    const std::uint64_t h = mix64(seed * 0xda942042e4dd58b5 + (i + 1) * 0x9e3779b97f4a7c15);
    constexpr int digits = std::numeric_limits<T>::digits;
    const T magnitude = std::ldexp(static_cast<T>((h >> (64 - digits)) | 1), -digits);
    return h & 1 ? -magnitude : magnitude;
}

template <class T>
Buffer<T> noise_vector(std::int64_t size, std::uint64_t seed) {
    Buffer<T> v(static_cast<std::size_t>(size));
#pragma omp parallel for schedule(static) if (v.size() >= kWorthThreads)
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = noise<T>(seed, i);
    return v;
}

template <class T, class P>
std::uint64_t count_used_cols(CsrView<T, P> a) {
    std::vector<char> used(static_cast<std::size_t>(a.cols), 0);
    for (P k = 0; k < a.nnz(); ++k) used[static_cast<std::size_t>(a.col_idx[k])] = 1;
    return static_cast<std::uint64_t>(std::count(used.begin(), used.end(), 1));
}

struct Worst {
    double error = 0;
    std::int64_t row = -1;

    /// The first row wins a tie, so that the answer does not depend on the threads.
    void meet(double e, std::int64_t i) {
        if (row < 0 || e > error || (e == error && i < row)) error = e, row = i;
    }
};

template <class T>
Worst compare(const Problem<T>& p, const Tolerance& tolerance) {
    Worst worst;
#pragma omp parallel if (p.y.size() >= kWorthThreads)
    {
        Worst mine;
#pragma omp for schedule(static) nowait
        for (std::size_t i = 0; i < p.y.size(); ++i) {
            const double limit = tolerance.allowed(p.bound[i], p.y0[i]);
            double error = 0;
            if (std::isfinite(limit))
                error = std::abs(p.y[i] - tolerance.expected(p.reference[i], p.y0[i])) / limit;
            // NaN too; finite, so that it can be stored.
            if (!std::isfinite(error)) error = std::numeric_limits<double>::max();
            mine.meet(error, static_cast<std::int64_t>(i));
        }
#pragma omp critical(sptune_verify)
        if (mine.row >= 0) worst.meet(mine.error, mine.row);
    }
    return worst;
}

}  // namespace

template <class T, class P>
Buffer<T> varied_values(CsrView<T, P> a, std::uint64_t seed) {
    return noise_vector<T>(a.nnz(), 2 * seed + 2);
}

template <class T, class P>
Problem<T> make_problem(CsrView<T, P> a, std::uint64_t seed) {
    const auto rows = static_cast<std::size_t>(a.rows);
    Problem<T> p{noise_vector<T>(a.cols, 2 * seed),
                 noise_vector<T>(a.rows, 0),
                 noise_vector<T>(a.rows, 2 * seed + 1),
                 Buffer<double>(rows),
                 Buffer<double>(rows),
                 count_used_cols(a)};
    reference_spmv(a, p.x.data(), p.reference.data(), p.bound.data());
    using limits = std::numeric_limits<T>;
#pragma omp parallel for schedule(static) if (rows >= kWorthThreads)
    for (std::size_t i = 0; i < rows; ++i) {
        const double scale = p.bound[i],
                     terms = static_cast<double>(a.row_ptr[i + 1] - a.row_ptr[i]) + 4;
        // A quarter: room for α and β.
        constexpr double kLargest = static_cast<double>(limits::max()) / 4,
                         kLeast = static_cast<double>(limits::min());
        p.bound[i] = scale < kLargest ? limits::epsilon() * terms * (scale + kLeast)
                                      : std::numeric_limits<double>::infinity();
        // As large as the row's own terms: a kernel that adds these to βy one by one rounds as much
        // as the larger of both asks for, and an error in the smaller one must not go unnoticed.
        if (scale >= kLeast && scale < kLargest) p.y0[i] *= static_cast<T>(scale);
    }
    return p;
}

template <class T, class P>
Verdict verify(const SpmvKernel<T, P>& kernel, const Storage& storage, Problem<T>& p, int threads,
               Clock clock) {
    struct Run {
        T alpha, beta;
    };
    Verdict verdict;
    verdict.correct = true;
    verdict.call_us = std::numeric_limits<double>::infinity();
    for (const Run& run : {Run{1, 0}, Run{T(1.5), T(-0.5)}}) {
#pragma omp parallel for schedule(static) if (p.y.size() >= kWorthThreads)
        for (std::size_t i = 0; i < p.y.size(); ++i)
            p.y[i] = run.beta == 0 ? std::numeric_limits<T>::quiet_NaN() : p.y0[i];
        const double start = clock();
        kernel.apply(storage, run.alpha, p.x.data(), run.beta, p.y.data(), {threads});
        verdict.call_us = std::min(verdict.call_us, clock() - start);
        const Tolerance tolerance{run.alpha, run.beta, std::numeric_limits<T>::epsilon()};
        const Worst worst = compare(p, tolerance);
        if (worst.row < 0 || (verdict.row >= 0 && worst.error <= verdict.error)) continue;
        verdict.error = worst.error;
        verdict.row = worst.row;
        if (worst.error <= 1) continue;
        verdict.correct = false;
        const auto i = static_cast<std::size_t>(worst.row);
        verdict.complaint =
            fmt::format("row {} is {:.9g}, expected {:.9g} ± {:.1e} (α = {}, β = {})", i, p.y[i],
                        tolerance.expected(p.reference[i], p.y0[i]),
                        tolerance.allowed(p.bound[i], p.y0[i]), run.alpha, run.beta);
    }
    return verdict;
}

#define SPTUNE_INSTANTIATE(T, P)                                    \
    template Buffer<T> varied_values(CsrView<T, P>, std::uint64_t); \
    template Problem<T> make_problem(CsrView<T, P>, std::uint64_t); \
    template Verdict verify(const SpmvKernel<T, P>&, const Storage&, Problem<T>&, int, Clock);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::tuner
