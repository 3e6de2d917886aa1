// What choosing the least of some outputs is expected to cost, as a function that has slopes.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace sptune::models {

/// Outputs are taken to be chosen with a chance of exp(-sharpness · output). `fall`: by how much
/// the expected cost falls as each output grows, over sharpness. A cost of NaN cannot be chosen;
/// one beyond `most` counts as that much.
inline void fall_of_cost(const float* costs, const float* outputs, double sharpness, double most,
                         std::span<float> fall) {
    const auto cost = [&](std::size_t k) { return std::min(static_cast<double>(costs[k]), most); };
    float least = std::numeric_limits<float>::infinity();
    for (std::size_t k = 0; k < fall.size(); ++k)
        if (!std::isnan(costs[k])) least = std::min(least, outputs[k]);
    double chances = 0, expected = 0;
    for (std::size_t k = 0; k < fall.size(); ++k) {
        fall[k] = std::isnan(costs[k])
                      ? 0
                      : static_cast<float>(std::exp(-sharpness * (outputs[k] - least)));
        if (fall[k] == 0) continue;
        chances += fall[k], expected += fall[k] * cost(k);
    }
    for (std::size_t k = 0; k < fall.size(); ++k)
        if (fall[k] != 0)
            fall[k] = static_cast<float>(fall[k] / chances * (cost(k) - expected / chances));
}

}  // namespace sptune::models
