#include "models/network.hpp"

#include "kernels/simd_target.hpp"
#include "matrix/error.hpp"
#include "matrix/lasting.hpp"

#include <algorithm>
#include <cmath>

namespace sptune::models {
namespace {

/// Each input takes as much memory as the one with most.
constexpr std::size_t kMostQuantiles = 256;

void require(bool holds, const char* what) {
    if (!holds) throw Error(std::string("network: ").append(what));
}

bool all_finite(const std::vector<float>& values) {
    return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

}  // namespace

Network::Network(std::vector<Scale> scales, std::vector<Layer> layers, std::vector<float> gains)
    : scales_(std::move(scales)), layers_(std::move(layers)), gains_(std::move(gains)) {
    simd_target();  // settled before the first prediction
    require(!scales_.empty() && !layers_.empty(), "has no inputs or no layers");
    for (const Scale& s : scales_) {
        require(!s.quantiles.empty() && all_finite(s.quantiles), "a quantile is not a number");
        require(s.quantiles.size() <= kMostQuantiles, "an input has too many quantiles");
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
    to_scale_ = InputScales(scales_);
    for (const Layer& layer : layers_)
        sums_.emplace_back(
            layer.weights, layer.bias,
            &layer == &layers_.back() ? LayerSums::Then::nothing : LayerSums::Then::hard_swish);
}

std::vector<float> Network::scaled(const float* x) const {
    std::vector<float> list(scales_.size());
    to_scale_(x, list.data());
    return list;
}

void Network::predict(std::span<const float> scaled, const float* known, float* out) const {
    require(scaled.size() == scales_.size(), "inputs are missing");
    auto& now = of_this_thread<std::vector<float>, struct Now>();
    auto& next = of_this_thread<std::vector<float>, struct Next>();
    now.assign(scaled.begin(), scaled.end());
    now.resize(filled_up(now.size()));
    for (const LayerSums& sums : sums_) {
        next.resize(filled_up(sums.outputs()));
        sums(now.data(), next.data());
        now.swap(next);
    }
    for (std::size_t k = 0; k < gains_.size(); ++k)
        now[k] = squeezed_sum(now[k] + gains_[k] * known[k]);
    std::copy_n(now.begin(), outputs(), out);
}

}  // namespace sptune::models
