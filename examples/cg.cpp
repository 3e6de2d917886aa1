// Conjugate gradients. The solver only wants something that multiplies; auto_spmv is one line.
//     example_cg [N]: a cube of N³ unknowns
#include "common.hpp"

#include <algorithm>
#include <string>

template <class Multiply>
std::vector<double> solve(int n, const Multiply& multiply, int iterations) {
    const auto size = static_cast<std::size_t>(n);
    std::vector<double> x(size, 0.0), r(size), p, q(size);
    for (std::size_t i = 0; i < size; ++i) r[i] = std::sin(0.01 * static_cast<double>(i));
    p = r;
    double rr = dot(r, r);
    for (int k = 0; k < iterations && rr > 1e-24; ++k) {
        multiply(p, q);
        const double alpha = rr / dot(p, q), before = rr;
#pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < size; ++i) {
            x[i] += alpha * p[i];
            r[i] -= alpha * q[i];
        }
        rr = dot(r, r);
#pragma omp parallel for schedule(static)
        for (std::size_t i = 0; i < size; ++i) p[i] = r[i] + rr / before * p[i];
    }
    return x;
}

int main(int argc, char** argv) {
    const Matrix a = cube(size_argument(argc, argv, 100, kLargestCube));
    constexpr int kIterations = 200;
    std::vector<double> plain, automatic, planned;
    const double plain_ms = milliseconds([&] {
        plain = solve(
            a.rows, [&](const auto& x, auto& y) { plain_csr(a, x.data(), y.data()); }, kIterations);
    });
    const double auto_ms = milliseconds([&] {
        automatic = solve(
            a.rows, [&](const auto& x, auto& y) { sptune::auto_spmv(a.view(), x, y); },
            kIterations);
    });
    // A program that knows how often it will multiply gets there sooner.
    std::string why;
    const double plan_ms = milliseconds([&] {
        auto plan = sptune::plan(a.view(), {.expected_calls = kIterations});
        planned = solve(
            a.rows, [&](const auto& x, auto& y) { plan.apply(x.data(), y.data()); }, kIterations);
        why = plan.why();
    });
    double difference = 0, largest = 0;
    for (std::size_t i = 0; i < plain.size(); ++i) {
        largest = std::max(largest, std::abs(plain[i]));
        difference = larger(difference, std::abs(plain[i] - automatic[i]));
        difference = larger(difference, std::abs(plain[i] - planned[i]));
    }
    std::printf("%s\n", why.c_str());
    const int code = report("CG with auto_spmv", plain_ms, auto_ms, difference / largest);
    return code | report("CG with a plan", plain_ms, plan_ms, difference / largest);
}
