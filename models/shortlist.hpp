// What is done with predictions: when they are believed, and what may be tried beside.
#pragma once

#include "kernels/variant.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace sptune::models {

/// Where nothing is predicted to take less than this share of plain CSR's time, it is not worth the
/// trouble of being wrong.
inline constexpr double kWorthwhile = 0.97;

/// Predictions are often too long by this share, so that what is predicted to be slower by less may
/// be the fastest. Trials reckon with it. Simulated with the sweeps of bench/results (models that
/// had not seen the matrix), all costs of plans included, over the fastest kernel without any:
/// after 100,000 calls 5.5 % on the GPU without this and without siblings, 3.0 % with both, on the
/// CPU 12.6 and 6.3 %; after 200 calls the same and 3 % more.
inline constexpr double kHope = 0.2;

/// Of kernels in order of preference, of which the first is taken: the places of those that may be
/// tried as well. The next four, mostly siblings of the first, and the best of two other
/// algorithms, where more may be gained.
std::vector<std::size_t> worth_trying(std::span<const Variant* const> ranked);

}  // namespace sptune::models
