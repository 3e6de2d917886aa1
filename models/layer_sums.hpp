// One layer of a network, multiplied in integers: in floats each weight would have to be widened
// and converted first. The same on every processor but for the rounding of a few floats.
#pragma once

#include "models/fixed_point.hpp"
#include "models/stored.hpp"
#include "models/whole_vectors.hpp"

#include <cstddef>
#include <vector>

namespace sptune::models {

class LayerSums {
  public:
    enum class Then { nothing, hard_swish };

    /// `weights` of one input after the other, as many as `bias` has outputs for each. Throws Error
    /// where 32 bits leave inputs fewer than 100 steps (from 656 inputs with the largest weights
    /// on).
    LayerSums(const Stored<Fixed>& weights, const std::vector<float>& bias, Then then);

    std::size_t outputs() const { return outputs_; }
    /// out = weightsᵀ · x + bias, and what comes then; both arrays filled_up(), x with zeros.
    /// Inputs are rounded to steps of which the largest of them has as many as sums of 32 bits
    /// leave room for: some thousands with weights as trained. Not finite where an input is not.
    void operator()(const float* x, float* out) const;

  private:
    std::size_t inputs_, outputs_;
    Then then_;
    std::vector<float> bias_;     ///< filled up
    std::vector<Fixed> weights_;  ///< by pairs of inputs, for each output the two side by side
    float most_ = 0;              ///< what the largest input becomes
};

}  // namespace sptune::models
