// Products with sums that their type does not hold.
#pragma once

#include "cli/output.hpp"
#include "matrix/buffer.hpp"
#include "matrix/number.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include <fmt/format.h>

namespace sptune::cli {

/// Says so; files that are read hold finite values only.
template <class V>
void warn_of_overflow(const Buffer<V>& values_of_c) {
    if constexpr (std::is_floating_point_v<V>) {
        const auto n = std::count_if(values_of_c.begin(), values_of_c.end(),
                                     [](V value) { return !std::isfinite(value); });
        const bool narrow = sizeof(V) < sizeof(double);
        if (n > 0)
            warn(fmt::format("{} of C {} not finite: {} holds no such sums; {}scale A and B",
                             n == 1 ? "1 entry" : count(n) + " entries", n == 1 ? "is" : "are",
                             narrow ? "f32" : "f64", narrow ? "use f64, or " : ""));
    }
}

}  // namespace sptune::cli
