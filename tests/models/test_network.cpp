#include "matrix/error.hpp"
#include "models/network.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace sptune::models {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// Two smooth functions from 0 to 1 of two inputs out of four; the scale of the first is odd.
Table known_functions(std::size_t rows, std::uint64_t seed) {
    Table t{rows, 4, 2, {}, {}};
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<float> number(-1, 1);
    for (std::size_t i = 0; i < rows; ++i) {
        float x[4];
        for (float& v : x) v = number(random);
        t.x.insert(t.x.end(), {1e4f * x[0] - 3e5f, x[1], x[2], 7});
        t.y.push_back(0.5f + 0.4f * x[0] * x[1]);
        t.y.push_back(x[1] * x[1]);
    }
    return t;
}

NetworkOptions small() {
    return {.share = 1, .width = 32, .epochs = 150, .batch = 64, .drop = 0, .choice_weight = 0};
}

double error_of(const Network& network, const Table& t, std::size_t output) {
    double sum = 0;
    std::vector<float> y(t.outputs);
    for (std::size_t i = 0; i < t.rows; ++i) {
        const float* known = t.known.empty() ? nullptr : t.known.data() + i * t.outputs;
        network.predict(network.scaled(t.x_of(i)), known, y.data());
        sum += std::pow(y[output] - t.y_of(i)[output], 2);
    }
    return std::sqrt(sum / static_cast<double>(t.rows));
}

TEST(Network, LearnsKnownFunctionsOfUnseenPoints) {
    const Table t = known_functions(1000, 1), unseen = known_functions(300, 2);
    const Network network = Network::train(t, t.y, small());
    EXPECT_LT(error_of(network, unseen, 0), 0.03);
    EXPECT_LT(error_of(network, unseen, 1), 0.03);
}

TEST(Network, UnknownTargetsCountForNothing) {
    Table holes = known_functions(1000, 3);
    for (std::size_t i = 0; i < holes.rows; i += 2) holes.y[i * 2] = kNaN;
    const Network network = Network::train(holes, holes.y, small());
    EXPECT_LT(error_of(network, known_functions(300, 4), 0), 0.05);
}

/// The targets are alike, so that costs alone tell which output should be the lesser one.
TEST(Network, FollowsTheCostOfTheChoice) {
    Table t{1000, 1, 2, {}, {}};
    std::vector<float> costs;
    std::mt19937_64 random(5);
    std::uniform_real_distribution<float> number(0, 1);
    for (std::size_t i = 0; i < t.rows; ++i) {
        t.x.push_back(number(random));
        const float behind = t.x[i] < 0.5f ? 0.0f : 0.2f;
        t.y.insert(t.y.end(), {0.1f, 0.1f});  // as if both were alike
        costs.insert(costs.end(), {behind, 0.2f - behind});
    }
    NetworkOptions o = small();
    o.choice_weight = 1, o.choice_from = 0;
    const Network network = Network::train(t, costs, o);
    float low[2], high[2];
    const float left = 0.2f, right = 0.8f;
    network.predict(network.scaled(&left), nullptr, low);
    network.predict(network.scaled(&right), nullptr, high);
    EXPECT_LT(low[0], low[1]);
    EXPECT_GT(high[0], high[1]);
}

/// What is known is right, so that a network that has seen only the left half is right on the
/// other.
TEST(Network, WhatIsKnownCarriesBeyondWhatWasSeen) {
    const auto half = [](float side, std::uint64_t seed) {
        Table t{600, 1, 2, {}, {}, {}};
        std::mt19937_64 random(seed);
        std::uniform_real_distribution<float> number(0, 1);
        for (std::size_t i = 0; i < t.rows; ++i) {
            const float x = side * number(random), behind = 2 * number(random);
            t.x.push_back(x);
            for (const float known : {behind, 0.5f * behind}) {
                t.known.push_back(known);
                t.y.push_back(squeezed_sum(known));
            }
        }
        return t;
    };
    const Table seen = half(-1, 1), unseen = half(1, 2);
    const Network network = Network::train(seen, seen.y, small());
    ASSERT_EQ(network.gains().size(), 2u);
    EXPECT_LT(error_of(network, unseen, 0), 0.05);
    EXPECT_LT(error_of(network, unseen, 1), 0.05);
}

/// Layers are multiplied in vectors: of widths that fill some and of widths that leave some over.
TEST(Network, PredictsWhatItsLayersSay) {
    std::mt19937_64 random(9);
    std::uniform_int_distribution<int> weight(-4000, 4000);
    std::uniform_real_distribution<float> number(-1, 1);
    for (const auto& widths : {std::vector<std::size_t>{3, 1},
                               {5, 31, 33},
                               {7, 128, 44},
                               {2, 96, 64, 80},
                               {1, 200, 5}}) {
        const std::vector<Network::Scale> scales(widths.front(), {{0}, 0, 1});
        std::vector<Network::Layer> layers;
        for (std::size_t l = 1; l < widths.size(); ++l) {
            std::vector<Fixed> weights(widths[l - 1] * widths[l]);
            for (Fixed& w : weights) w = static_cast<Fixed>(weight(random));
            std::vector<float> bias(widths[l]);
            for (float& b : bias) b = number(random);
            layers.push_back({std::move(weights), std::move(bias)});
        }
        const Network network(scales, layers);
        std::vector<float> scaled(widths.front()), found(widths.back());
        for (float& v : scaled) v = number(random);
        network.predict(scaled, nullptr, found.data());
        std::vector<double> now(scaled.begin(), scaled.end());
        double largest = 1;
        for (const Network::Layer& layer : layers) {
            std::vector<double> next(layer.bias.begin(), layer.bias.end());
            for (std::size_t i = 0; i < now.size(); ++i)
                for (std::size_t k = 0; k < next.size(); ++k)
                    next[k] += now[i] * kFixedUnit * layer.weights[i * next.size() + k];
            for (double& v : next) {
                if (&layer != &layers.back()) v *= std::clamp(v + 3, 0.0, 6.0) / 6;
                largest = std::max(largest, std::abs(v));
            }
            now = std::move(next);
        }
        for (std::size_t k = 0; k < found.size(); ++k)
            EXPECT_NEAR(found[k], now[k], 5e-4 * largest) << k << " of " << found.size();
    }
}

TEST(Network, TheSameSeedGivesTheSame) {
    const Table t = known_functions(200, 6);
    NetworkOptions o = small();
    o.epochs = 3, o.drop = 0.2;
    const Network a = Network::train(t, t.y, o), b = Network::train(t, t.y, o);
    o.seed = 2;
    const Network c = Network::train(t, t.y, o);
    EXPECT_EQ(a.layers().front().weights, b.layers().front().weights);
    EXPECT_NE(a.layers().front().weights, c.layers().front().weights);
}

TEST(Network, WhatLiesFarOutStaysFinite) {
    const Table t = known_functions(200, 7);
    NetworkOptions o = small();
    o.epochs = 5;
    const Network network = Network::train(t, t.y, o);
    float y[2];
    for (const float far : {-1e30f, 1e30f}) {
        const float x[] = {far, far, far, far};
        network.predict(network.scaled(x), nullptr, y);
        EXPECT_LT(std::abs(y[0]) + std::abs(y[1]), 100);
    }
}

TEST(Network, ScalesGrowWithTheirInput) {
    const Network::Scale scale{{0, 1, 1.5f, 100}, 20, 30};
    float before = scale.of(-1e6f);
    for (const float x : {-10.0f, 0.0f, 0.5f, 1.0f, 1.2f, 1.5f, 50.0f, 100.0f, 109.0f}) {
        EXPECT_GT(scale.of(x), before) << x;
        before = scale.of(x);
    }
    EXPECT_EQ(scale.of(1e6f), scale.of(1e7f)) << "cut off";
    const Network::Scale constant{{4}, 4, 1e-6f};
    EXPECT_EQ(constant.of(4), 0);
}

TEST(Network, PartsThatDoNotFitAreRefused) {
    using Layers = std::vector<Network::Layer>;
    const std::vector<Network::Scale> two{{{0, 1}, 0, 1}, {{2}, 2, 1}};
    const Network::Layer layer{{1, 2, 3, 4, 5, 6}, {0, 0, 0}};
    EXPECT_NO_THROW(Network(two, {layer}));
    EXPECT_THROW(Network({}, {layer}), Error);
    EXPECT_THROW(Network(two, {}), Error);
    EXPECT_THROW(Network(two, Layers{layer, layer}), Error) << "three outputs, two inputs";
    EXPECT_THROW(Network(two, {{{1, 2, 3}, {0, 0, 0}}}), Error);
    EXPECT_THROW(Network(two, {{{1, 2}, {kNaN}}}), Error);
    EXPECT_THROW(Network(two, {{{}, {}}}), Error);
    for (const Network::Scale& wrong : {Network::Scale{{}, 0, 1},
                                        {{1, 1}, 0, 1},
                                        {{1, 0}, 0, 1},
                                        {{kNaN}, 0, 1},
                                        {{0}, kNaN, 1},
                                        {{0}, 0, 0},
                                        {{0}, 0, kNaN}})
        EXPECT_THROW(Network({wrong, two[1]}, {layer}), Error);
    Network::Scale many{std::vector<float>(257), 0, 1};
    std::iota(many.quantiles.begin(), many.quantiles.end(), 0.0f);
    EXPECT_THROW(Network({many, two[1]}, {layer}), Error);
    EXPECT_NO_THROW(Network(two, {layer}, {1, 2, 3}));
    EXPECT_THROW(Network(two, {layer}, {1, 2}), Error);
    EXPECT_THROW(Network(two, {layer}, {1, 2, kNaN}), Error);
    EXPECT_THROW(Network::train(Table{}, {}, {}), Error);
    Table t = known_functions(10, 8);
    EXPECT_THROW(Network::train(t, {}, {}), Error) << "no costs";
    t.known = {1};
    EXPECT_THROW(Network::train(t, t.y, {}), Error);
}

}  // namespace
}  // namespace sptune::models
