// What it is worth to a kernel that all values are the same.
#pragma once

#include "features/features.hpp"
#include "kernels/variant.hpp"

namespace sptune::models {

/// Time of a call without values over that with them: less than 1 for kernels that leave out values
/// which are all the same (knows_one_value()), 1 for all others. Models learn of stored values
/// alone. Measured on 43 real matrices with two threads of a Xeon, their values as they are and
/// varied, less what other kernels took longer or shorter meanwhile: 2580 pairs of times in f64,
/// 2616 in f32 (bench/results/2026-11-29-as-it-is.md). From main memory it is worth more than that.
double one_value_share(const Variant& variant, const Features& features);

}  // namespace sptune::models
