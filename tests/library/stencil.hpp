// A small matrix made by hand: these tests know nothing but the public interface.
#pragma once

#include "sptune/sptune.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace sptune_test {

/// Rows of 2 to 7 entries around the diagonal, and one row with an entry in every 5th column.
template <class T, class P>
struct Matrix {
    std::int32_t rows, cols;
    std::vector<P> row_ptr{0};
    std::vector<std::int32_t> col_idx;
    std::vector<T> values;

    explicit Matrix(std::int32_t n, std::int32_t more_cols = 0) : rows(n), cols(n + more_cols) {
        for (std::int32_t i = 0; i < n; ++i) {
            for (std::int32_t j = 0; j < cols; ++j) {
                const bool near = std::abs(i - j) <= 1 + i % 3;
                if (i == n / 2 ? j % 5 != 0 : !near) continue;
                col_idx.push_back(j);
                values.push_back(static_cast<T>(0.25 * ((3 * i + 7 * j) % 11) - 1));
            }
            row_ptr.push_back(static_cast<P>(col_idx.size()));
        }
    }
    sptune::csr_view<T, P> view() const {
        return {rows, cols, row_ptr.data(), col_idx.data(), values.data(), row_ptr.back()};
    }
    /// αAx + βy, or with the transpose.
    std::vector<double> times(double alpha, const std::vector<T>& x, double beta,
                              const std::vector<T>& y, bool transposed = false) const {
        std::vector<double> out(static_cast<std::size_t>(transposed ? cols : rows));
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = beta == 0 ? 0 : beta * y[i];
        for (std::int32_t i = 0; i < rows; ++i)
            for (P k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
                const std::int32_t j = col_idx[static_cast<std::size_t>(k)];
                const double a = alpha * values[static_cast<std::size_t>(k)];
                out[static_cast<std::size_t>(transposed ? j : i)] +=
                    a * x[static_cast<std::size_t>(transposed ? i : j)];
            }
        return out;
    }
};

template <class T>
std::vector<T> wavy(std::size_t n, double phase = 0) {
    std::vector<T> x(n);
    for (std::size_t i = 0; i < n; ++i)
        x[i] = static_cast<T>(std::sin(0.7 * static_cast<double>(i) + phase));
    return x;
}

template <class T>
void expect_near(const std::vector<T>& y, const std::vector<double>& expected) {
    const double tolerance = 2000 * static_cast<double>(std::numeric_limits<T>::epsilon());
    for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(y[i], expected[i], tolerance * (1 + std::abs(expected[i]))) << "row " << i;
}

}  // namespace sptune_test
