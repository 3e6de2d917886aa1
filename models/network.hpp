// A small neural network that learns the same as the trees of forest.hpp. Where trees have steps it
// is smooth, so that it is wrong elsewhere: the mean of both is better than either, most of all on
// kinds of matrices that neither has seen.
#pragma once

#include "models/forest.hpp"
#include "models/input_scales.hpp"
#include "models/layer_sums.hpp"

#include <cmath>
#include <span>

namespace sptune::models {

struct NetworkOptions {
    /// Of the mean of networks and trees: how much the networks count. 0: there are none.
    double share = 0;
    int count = 1;  ///< of networks, which begin with other numbers; their mean counts
    std::size_t least_samples = 1000;  ///< with fewer there is none: it would learn them by heart
    std::size_t width = 128;           ///< of both hidden layers
    int epochs = 100;
    std::size_t batch = 256;
    double rate = 2e-3;   ///< at its highest; falls to 0 along a cosine
    double decay = 1e-3;  ///< of the weights, in each step times the rate
    double drop = 0.1;    ///< share of the hidden units that a step does without
    /// What choosing costs counts from this share of the epochs on (see ChoiceOptions).
    double choice_from = 0.3;
    double choice_weight = 0.2;  ///< against the squared error
    double sharpness = 40, most = 0.5;
    std::uint64_t seed = 1;
};

/// Fully connected layers, and past them what is known of each output beforehand, times a gain: the
/// layers learn how far that is off. The sum l becomes l / (1 + |l|), as squeeze() has it. A
/// network without gains answers what its last layer says. Between the layers there is hard swish x
/// · clip(x + 3, 0, 6) / 6 (Howard et al., "Searching for MobileNetV3", ICCV 2019, section 5.2).
class Network {
  public:
    using Scale = InputScale;
    struct Layer {
        Stored<Fixed> weights;    ///< of one input after the other
        std::vector<float> bias;  ///< its length is that of the output
    };

    /// Answers nothing.
    Network() = default;
    /// As stored. Throws Error where the parts do not fit together.
    Network(std::vector<Scale> scales, std::vector<Layer> layers, std::vector<float> gains = {});

    /// `costs` as in Forest::train(). There are gains if the table has what is known.
    static Network train(const Table& table, const std::vector<float>& costs,
                         const NetworkOptions& options);

    /// What predict() starts from, the same for networks of the same scales; x has at least
    /// inputs() numbers.
    std::vector<float> scaled(const float* x) const;
    /// `out` has outputs() numbers. `known`: of each output; read only where there are gains. Some
    /// microseconds.
    void predict(std::span<const float> scaled, const float* known, float* out) const;

    std::size_t inputs() const { return scales_.size(); }
    std::size_t outputs() const { return layers_.empty() ? 0 : layers_.back().bias.size(); }
    const std::vector<Scale>& scales() const { return scales_; }
    const std::vector<Layer>& layers() const { return layers_; }
    /// None, or one for each output.
    const std::vector<float>& gains() const { return gains_; }

  private:
    std::vector<Scale> scales_;
    std::vector<Layer> layers_;
    std::vector<float> gains_;
    InputScales to_scale_;         ///< by scales_
    std::vector<LayerSums> sums_;  ///< of layers_
};

/// l / (1 + |l|): smooth where squeeze() ends.
inline float squeezed_sum(float l) {
    return l / (1 + std::abs(l));
}

/// x · clip(x + 3, 0, 6) / 6
inline float hard_swish(float x) {
    const float gate = x + 3;
    return x * (gate < 0 ? 0 : gate > 6 ? 6 : gate) * (1.0f / 6);
}

}  // namespace sptune::models
