// What the examples share: matrices, a plain CSR product to compare with, and a clock.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include <sptune/sptune.hpp>

struct Matrix {
    int rows = 0;
    std::vector<std::int32_t> row_ptr{0}, col_idx;
    std::vector<double> values;

    void add(int column, double value) {
        col_idx.push_back(column);
        values.push_back(value);
    }
    void end_row() {
        row_ptr.push_back(static_cast<std::int32_t>(col_idx.size()));
        ++rows;
    }
    sptune::csr_view<double> view() const {
        return {rows, rows, row_ptr.data(), col_idx.data(), values.data(), row_ptr.back()};
    }
};

/// n × n × n cells, each coupled with its 26 neighbours; positive definite.
inline Matrix cube(int n) {
    Matrix a;
    for (int z = 0; z < n; ++z)
        for (int y = 0; y < n; ++y)
            for (int x = 0; x < n; ++x, a.end_row())
                for (int k = -1; k <= 1; ++k)
                    for (int j = -1; j <= 1; ++j)
                        for (int i = -1; i <= 1; ++i) {
                            const bool inside = x + i >= 0 && x + i < n && y + j >= 0 &&
                                                y + j < n && z + k >= 0 && z + k < n;
                            if (inside)
                                a.add(((z + k) * n + y + j) * n + x + i, i || j || k ? -1 : 26.5);
                        }
    return a;
}

/// The program without sptune: a parallel loop over rows.
inline void plain_csr(const Matrix& a, const double* x, double* y) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < a.rows; ++i) {
        double sum = 0;
        for (std::int32_t k = a.row_ptr[static_cast<std::size_t>(i)];
             k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
            sum +=
                a.values[static_cast<std::size_t>(k)] * x[a.col_idx[static_cast<std::size_t>(k)]];
        y[i] = sum;
    }
}

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

/// Milliseconds that `work` takes.
template <class Work>
double milliseconds(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
}

/// The largest cube whose entries 32 bits count.
constexpr int kLargestCube = 430;

inline int size_argument(int argc, char** argv, int otherwise, int most) {
    if (argc <= 1) return otherwise;
    char* end = nullptr;
    const long size = std::strtol(argv[1], &end, 10);
    if (end != argv[1] && *end == '\0' && size > 0 && size <= most) return static_cast<int>(size);
    std::fprintf(stderr, "%s: expected a size from 1 to %d, not \"%s\"\n", argv[0], most, argv[1]);
    std::exit(2);
}

/// The larger of two differences; what is not a number is larger than all.
inline double larger(double a, double b) {
    return std::isnan(a) || b <= a ? a : b;
}

/// Prints both times; the exit code says whether both found the same.
inline int report(const char* what, double plain_ms, double sptune_ms, double difference) {
    std::printf("%s: plain CSR %.1f ms, sptune %.1f ms with everything included: %.2fx\n", what,
                plain_ms, sptune_ms, plain_ms / sptune_ms);
    if (difference < 1e-6) return 0;
    std::printf("the results differ by %g\n", difference);
    return 1;
}
