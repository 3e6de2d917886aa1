// Is y = αAx + βy what the reference says?
#pragma once

#include <cstdint>

#include "kernels/spmv/kernel.hpp"

namespace sptune::tuner {

/// Random x and y0 (seeded), the reference result and per-row bounds, shared by all candidates of
/// one matrix.
template <class T>
struct Problem {
    Buffer<T> x;
    Buffer<T> y;               ///< where candidates write
    Buffer<double> reference;  ///< A x in f64
    Buffer<double> scale;      ///< Σ_j |a_ij| |x_j|
    Buffer<index_t> length;    ///< entries per row
};
template <class T, class P>
Problem<T> make_problem(CsrView<T, P> a, std::uint64_t seed);

struct Verdict {
    bool correct = false;
    double error = 0;    ///< largest |y - reference| over its bound; ≤ 1 is correct
    std::int64_t row = -1;  ///< where the error is largest
};
/// Runs the kernel with α = 1, β = 0 on a y poisoned with NaN, and once with other α, β; compares
/// with |y_i - ref_i| ≤ eps(T) · (length_i + 4) · scale_i + tiny.
template <class T, class P>
Verdict verify(const SpmvKernel<T, P>& kernel, const Storage& storage, Problem<T>& problem,
               int threads);

}  // namespace sptune::tuner
