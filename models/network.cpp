#include "models/network.hpp"

#include "features/clones.hpp"
#include "matrix/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace sptune::models {
namespace {

constexpr float kFarthest = 3;  ///< deviations from the mean

void require(bool holds, const char* what) {
    if (!holds) throw Error(std::string("network: ").append(what));
}

bool all_finite(const std::vector<float>& values) {
    return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

constexpr std::size_t kLanes = 16;
using Numbers [[gnu::vector_size(kLanes * sizeof(float))]] = float;
using FixedLanes [[gnu::vector_size(kLanes * sizeof(Fixed))]] = Fixed;

/// Of the outputs [0, Vectors · kLanes): several sums at a time, as each addition waits for the one
/// before it.
template <std::size_t Vectors>
[[gnu::always_inline]] inline void add_weighted_to(const float* x, std::size_t inputs,
                                                   const Fixed* weights, float* out,
                                                   std::size_t outputs) {
    Numbers sums[Vectors] = {};
    for (std::size_t i = 0; i < inputs; ++i)
        for (std::size_t v = 0; v < Vectors; ++v) {
            FixedLanes row;
            std::memcpy(&row, weights + i * outputs + v * kLanes, sizeof row);
            sums[v] += x[i] * __builtin_convertvector(row, Numbers);
        }
    for (std::size_t v = 0; v < Vectors; ++v)
        for (std::size_t l = 0; l < kLanes; ++l) out[v * kLanes + l] += kFixedUnit * sums[v][l];
}

/// out += weightsᵀ · x, where `outputs` is a multiple of kLanes.
SPTUNE_CLONES void add_weighted(const float* x, std::size_t inputs, const Fixed* weights,
                                float* out, std::size_t outputs) {
    std::size_t k = 0;
    for (; k + 2 * kLanes <= outputs; k += 2 * kLanes)
        add_weighted_to<2>(x, inputs, weights + k, out + k, outputs);
    if (k < outputs) add_weighted_to<1>(x, inputs, weights + k, out + k, outputs);
}

/// The same with outputs of 0 at the end of each row, up to whole vectors, and with inputs for
/// those of the layer before.
Network::Layer filled_up(const Network::Layer& layer, std::size_t inputs) {
    const std::size_t outputs = layer.bias.size(), rows = layer.weights.size() / outputs;
    const std::size_t width = (outputs + kLanes - 1) / kLanes * kLanes;
    if (width == outputs && rows == inputs) return layer;
    std::vector<Fixed> weights(inputs * width);
    for (std::size_t i = 0; i < rows; ++i)
        std::copy_n(layer.weights.data() + i * outputs, outputs, weights.data() + i * width);
    std::vector<float> bias = layer.bias;
    bias.resize(width);
    return {std::move(weights), std::move(bias)};
}

}  // namespace

float Network::Scale::of(float x) const {
    const float distance = std::clamp((x - mean) / deviation, -kFarthest, kFarthest);
    const std::size_t steps = quantiles.size() - 1;
    if (steps == 0) return 0.5f * distance;
    // From -1 to 1, in equal steps from one quantile to the next.
    const auto above = std::upper_bound(quantiles.begin(), quantiles.end(), x);
    float place = above == quantiles.begin() ? 0.0f : static_cast<float>(steps);
    if (above != quantiles.begin() && above != quantiles.end()) {
        const float low = *(above - 1), share = (x - low) / (*above - low);
        place = static_cast<float>(above - 1 - quantiles.begin()) + share;
    }
    constexpr float kWide = 1.7f;  // as wide as what is spread evenly and has a deviation of 1
    return 0.5f * (kWide * (2 * place / static_cast<float>(steps) - 1) + distance);
}

Network::Network(std::vector<Scale> scales, std::vector<Layer> layers, std::vector<float> gains)
    : scales_(std::move(scales)), layers_(std::move(layers)), gains_(std::move(gains)) {
    require(!scales_.empty() && !layers_.empty(), "has no inputs or no layers");
    for (const Scale& s : scales_) {
        require(!s.quantiles.empty() && all_finite(s.quantiles), "a quantile is not a number");
        for (std::size_t i = 1; i < s.quantiles.size(); ++i)
            require(s.quantiles[i - 1] < s.quantiles[i], "quantiles do not increase");
        require(std::isfinite(s.mean) && std::isfinite(s.deviation) && s.deviation > 0,
                "an input has no mean or deviation");
    }
    std::size_t width = scales_.size();
    for (const Layer& layer : layers_) {
        require(!layer.bias.empty() && all_finite(layer.bias), "a value is not a number");
        require(layer.weights.size() == width * layer.bias.size(), "layers do not fit together");
        width = layer.bias.size();
    }
    require(gains_.empty() || (gains_.size() == width && all_finite(gains_)),
            "gains do not match the outputs");
    std::size_t before = scales_.size();
    for (const Layer& layer : layers_) {
        whole_.push_back(filled_up(layer, before));
        before = whole_.back().bias.size();
    }
}

void Network::predict(const float* x, const float* known, float* out) const {
    std::vector<float> now(scales_.size()), next;
    for (std::size_t i = 0; i < now.size(); ++i) now[i] = scales_[i].of(x[i]);
    for (const Layer& layer : whole_) {
        next = layer.bias;
        add_weighted(now.data(), now.size(), layer.weights.data(), next.data(), next.size());
        if (&layer != &whole_.back())
            for (float& value : next) value = hard_swish(value);
        now.swap(next);
    }
    for (std::size_t k = 0; k < gains_.size(); ++k)
        now[k] = squeezed_sum(now[k] + gains_[k] * known[k]);
    std::copy_n(now.begin(), outputs(), out);
}

}  // namespace sptune::models
