// How far choices are behind, in two numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace sptune::models {

struct Spread {
    double geomean = 0, p95 = 0;
};

/// Of regrets (cost of the chosen / cost of the best - 1, above -1): the geometric mean of 1 +
/// regret, minus 1, and the 95th percentile. Zeros of none.
inline Spread spread_of(std::vector<double> regrets) {
    if (regrets.empty()) return {};
    double logs = 0;
    for (const double regret : regrets) logs += std::log1p(regret);
    const auto n = static_cast<double>(regrets.size());
    const auto at = static_cast<std::ptrdiff_t>(std::ceil(0.95 * n)) - 1;
    std::nth_element(regrets.begin(), regrets.begin() + at, regrets.end());
    return {std::expm1(logs / n), regrets[static_cast<std::size_t>(at)]};
}

}  // namespace sptune::models
