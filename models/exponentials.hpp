// Many exponential functions at once: a prediction has some hundred of them.
#pragma once

#include <span>

namespace sptune::models {

/// e to the power of each, in place, to some units in the last place. What is not a number stays
/// so.
void exponentiate(std::span<float> numbers);

}  // namespace sptune::models
