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

/// Predictions may be too long by this share, so that what is predicted to be slower by less may be
/// the fastest. Trials reckon with it. Simulated with the sweeps of bench/results (models that had
/// not seen the matrix), all costs of plans included, over the fastest kernel without any: after
/// 100,000 calls 5.5 % on the GPU without this and without siblings of the choice, 2.8 % with both;
/// on the CPU 12.6 and 5.7 %. With twice this share 4.8 %, but programs of 200 calls take 3 %
/// longer.
inline constexpr double kHope = 0.1;

/// By what predictions are scaled for a kernel that has not been tried, once something else than
/// plain CSR is in use: errors of predictions go together, so that half of what was wrong with the
/// one in use (in logarithms) is expected of the others. Both are measured / predicted.
double scale_between(double plain, double in_use);

/// Of kernels in order of preference, of which the first is taken: the places of those that may be
/// tried as well. The next four, mostly siblings of the first, and the best of two other
/// algorithms, where more may be gained.
std::vector<std::size_t> worth_trying(std::span<const Variant* const> ranked);

}  // namespace sptune::models
