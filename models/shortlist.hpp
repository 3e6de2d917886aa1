// What is done with predictions: when they are believed, and what may be tried beside.
#pragma once

#include "kernels/variant.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace sptune::models {

/// Where nothing is predicted to take less than this share of plain CSR's time, it is not worth the
/// trouble of being wrong.
inline constexpr double kWorthwhile = 0.95;

bool same_algorithm(const Variant& a, const Variant& b);

/// What a kernel is expected to save of each call, as a share, if it is tried and kept only where
/// it is the faster one (the expected improvement): it is predicted to take `ratio` times as long
/// as the one in use, and predictions are off, less so among kernels of the same algorithm
/// (`alike`). Trials reckon with it.
double expected_saving(double ratio, bool alike);

/// What is expected to save less is not tried.
inline constexpr double kLeastSaving = 0.005;

/// By what predictions are scaled for a kernel that has not been tried, once something else than
/// plain CSR is in use: errors of predictions go together, so that half of what was wrong with the
/// one in use (in logarithms) is expected of the others. Both are measured / predicted.
double scale_between(double plain, double in_use);

/// Of kernels in order of preference, of which the first is taken: the places of those that may be
/// tried as well. The next four, mostly siblings of the first, and the best of two other
/// algorithms, where more may be gained.
std::vector<std::size_t> worth_trying(std::span<const Variant* const> ranked);

}  // namespace sptune::models
