#include "models/network.hpp"

#include "features/clones.hpp"
#include "matrix/error.hpp"

#include <algorithm>
#include <bit>
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

constexpr std::size_t kWords = 16, kLanes = 2 * kWords;
using Numbers [[gnu::vector_size(kWords * sizeof(float))]] = float;
using Words [[gnu::vector_size(kWords * sizeof(std::int32_t))]] = std::int32_t;
static_assert(std::endian::native == std::endian::little && sizeof(Fixed) == 2);

/// Of the outputs [0, Vectors · kLanes): several sums at a time, as each addition waits for the one
/// before it. A word holds two weights: moved up, each of them is so many times as large, and no
/// vector has to be widened, which compilers do in many steps.
template <std::size_t Vectors>
[[gnu::always_inline]] inline void add_weighted_to(const float* x, std::size_t inputs,
                                                   const Fixed* weights, float* out,
                                                   std::size_t outputs) {
    constexpr int kHalf = 16, kUpper = -(1 << kHalf);
    constexpr float kUnit = kFixedUnit / (1 << kHalf);
    Numbers even[Vectors] = {}, odd[Vectors] = {};
    for (std::size_t i = 0; i < inputs; ++i)
        for (std::size_t v = 0; v < Vectors; ++v) {
            Words row;
            std::memcpy(&row, weights + i * outputs + v * kLanes, sizeof row);
            even[v] += x[i] * __builtin_convertvector(row << kHalf, Numbers);
            odd[v] += x[i] * __builtin_convertvector(row & kUpper, Numbers);
        }
    float of_even[Vectors * kWords], of_odd[Vectors * kWords];
    std::memcpy(of_even, even, sizeof even);
    std::memcpy(of_odd, odd, sizeof odd);
    for (std::size_t w = 0; w < Vectors * kWords; ++w) {
        out[2 * w] += kUnit * of_even[w];
        out[2 * w + 1] += kUnit * of_odd[w];
    }
}

/// out += weightsᵀ · x, where `outputs` is a multiple of kLanes. Several sums at a time hide how
/// long one addition takes; what is left is split evenly.
SPTUNE_CLONES void add_weighted(const float* x, std::size_t inputs, const Fixed* weights,
                                float* out, std::size_t outputs) {
    constexpr std::size_t kMost = 4;
    std::size_t left = outputs / kLanes;
    for (std::size_t parts = (left + kMost - 1) / kMost; parts > 0; --parts) {
        const std::size_t now = (left + parts - 1) / parts;
        const std::size_t k = outputs - left * kLanes;
        switch (now) {
            case 1:
                add_weighted_to<1>(x, inputs, weights + k, out + k, outputs);
                break;
            case 2:
                add_weighted_to<2>(x, inputs, weights + k, out + k, outputs);
                break;
            case 3:
                add_weighted_to<3>(x, inputs, weights + k, out + k, outputs);
                break;
            case kMost:
                add_weighted_to<kMost>(x, inputs, weights + k, out + k, outputs);
        }
        left -= now;
    }
}

/// How many are no more than x: looking at all of them takes less than guessing at each halving
/// which way it goes.
SPTUNE_CLONES std::size_t count_up_to(const float* numbers, std::size_t count, float x) {
    std::uint32_t found = 0;
    for (std::size_t i = 0; i < count; ++i) found += numbers[i] <= x;
    return found;
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
    const std::size_t above = count_up_to(quantiles.data(), quantiles.size(), x);
    float place = above == 0 ? 0.0f : static_cast<float>(steps);
    if (above > 0 && above <= steps) {
        const float low = quantiles[above - 1], share = (x - low) / (quantiles[above] - low);
        place = static_cast<float>(above - 1) + share;
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

std::vector<float> Network::scaled(const float* x) const {
    std::vector<float> list(scales_.size());
    for (std::size_t i = 0; i < list.size(); ++i) list[i] = scales_[i].of(x[i]);
    return list;
}

void Network::predict(std::span<const float> scaled, const float* known, float* out) const {
    require(scaled.size() == scales_.size(), "inputs are missing");
    std::vector<float> now(scaled.begin(), scaled.end()), next;
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
