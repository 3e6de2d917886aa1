#include "models/launch_bound.hpp"

#include "models/holding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sptune::models {
namespace {

/// Threads that a multiprocessor of an H100 or H200 holds at a time.
constexpr double kResident = 2048;
constexpr double kMillion = 1e6;

/// µs.
constexpr double kCall = 1.18;
constexpr double kStep = 0.12;     ///< of a thread in the longest row,
constexpr double kFurther = 0.08;  ///< of those after so many
constexpr double kSteps = 24;
constexpr double kBegun = 0.30;           ///< as many threads as a GPU holds, the last ones in part
constexpr double kFilled = 0.33;          ///< the same, in proportion
constexpr double kEntries[]{1.22, 2.16};  ///< a million, f32 and f64
constexpr double kBytesOfX = 0.04;        ///< a million

/// A launch has to take so many times as long as what is expected of the kernel.
constexpr double kSure = 1.1;

}  // namespace

double threads_per_row_us(const Variant& kernel, const Outline& o, index_t cols) {
    if (kernel.format != "csr" || kernel.algorithm != "vector")
        return std::numeric_limits<double>::infinity();
    const double multiprocessors = o.multiprocessors();
    const double threads = param_or(kernel.params, "t", 1);
    const double steps = std::ceil(static_cast<double>(o.longest_row) / threads);
    const double waves = o.rows * threads / (kResident * multiprocessors);
    const bool f64 = kernel.value == ValueType::f64;
    const double moved = kEntries[f64] * static_cast<double>(o.nnz) +
                         kBytesOfX * static_cast<double>(cols) * (f64 ? 8 : 4);
    const double in_longest = kStep * steps - (kStep - kFurther) * std::max(steps - kSteps, 0.0);
    return kCall + in_longest + kBegun * std::ceil(waves) + kFilled * waves +
           moved / kMillion * Outline::kUsualMultiprocessors / multiprocessors;
}

bool waits_for_launch(const Variant& kernel, const Outline& outline, index_t cols,
                      const Launching& launching) {
    return kSure * threads_per_row_us(kernel, outline, cols) <=
           std::min(launching.host_us, kLongestLaunchUs);
}

}  // namespace sptune::models
