// Is y = αAx + βy what the reference says?
#pragma once

#include "kernels/spmv/kernel.hpp"
#include "tuner/measure.hpp"

#include <cstdint>
#include <string>

namespace sptune::tuner {

/// Random x and y0 (seeded), the reference result and per-row bounds, shared by all candidates of
/// one matrix.
template <class T>
struct Problem {
    Buffer<T> x;   ///< cols entries in (-1, 1), none of them 0
    Buffer<T> y;   ///< rows entries, where candidates write
    Buffer<T> y0;  ///< rows entries, each within the row's |A||x|: what y holds before a β ≠ 0
    Buffer<double> reference;  ///< A x in f64
    /// eps(T) · (length_i + 4) · (Σ_j |a_ij| |x_j| + smallest normal T): twice what any order of
    /// summation can lose, which leaves room for the error of the reference itself. Source: Higham,
    /// "Accuracy and Stability of Numerical Algorithms", section 3.1. Infinite for rows whose sums
    /// may overflow T: what comes out then depends on the order, so anything passes.
    Buffer<double> bound;
    std::uint64_t used_cols = 0;  ///< columns with an entry: what every kernel has to read of x
};

/// As many numbers in (-1, 1) as A has entries, none of them 0: where all of its own are the same,
/// nobody would notice that a conversion had mixed them up. Throws OutOfMemory.
template <class T, class P>
Buffer<T> varied_values(CsrView<T, P> a, std::uint64_t seed);

/// One pass over `a`. Throws OutOfMemory.
template <class T, class P>
Problem<T> make_problem(CsrView<T, P> a, std::uint64_t seed);

struct Verdict {
    bool correct = false;
    double error = 0;       ///< largest |y - reference| / bound, over both runs; ≤ 1 is correct
    std::int64_t row = -1;  ///< where the error is largest; -1: no rows
    double call_us = 0;     ///< the faster of the two calls
    std::string complaint;  ///< "row 17 is nan, expected 0.25 ± 1e-16 (α = 1, β = 0)", or empty
};

/// Runs the kernel with α = 1, β = 0 on a y poisoned with NaN, so that rows left alone show, then
/// with other α and β on y0, and compares every row with its bound.
template <class T, class P>
Verdict verify(const SpmvKernel<T, P>& kernel, const Storage& storage, Problem<T>& problem,
               int threads, Clock clock = steady_us);

}  // namespace sptune::tuner
