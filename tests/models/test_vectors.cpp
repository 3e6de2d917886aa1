// What predictions do in vectors, held against plain loops. CMakeLists.txt runs it once for each
// kind of vectors.
#include "kernels/simd_target.hpp"
#include "matrix/error.hpp"
#include "models/exponentials.hpp"
#include "models/input_scales.hpp"
#include "models/layer_sums.hpp"
#include "models/tree_walks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string_view>

#include <gtest/gtest.h>

namespace sptune::models {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// Settles which vectors are used.
class Vectors : public testing::Test {
  protected:
    void SetUp() override {
        const char* const asked = std::getenv("SPTUNE_SIMD");
        const auto vectors = simd_target();
        RecordProperty("vectors", vectors);
        if (asked && std::string_view(asked) == "avx512" && vectors != "AVX3")
            GTEST_SKIP() << "this machine has no AVX-512";
    }
    std::mt19937_64 random_{7};
};

TEST_F(Vectors, ScalesAreThoseOfEachInput) {
    std::uniform_real_distribution<float> number(-3, 3);
    std::uniform_int_distribution<int> quantiles(1, 17);
    for (const std::size_t count : {1, 15, 16, 33, 111}) {
        std::vector<InputScale> list(count);
        for (InputScale& s : list) {
            for (int q = quantiles(random_); q > 0; --q) s.quantiles.push_back(number(random_));
            std::sort(s.quantiles.begin(), s.quantiles.end());
            s.mean = number(random_), s.deviation = 0.1f + std::abs(number(random_));
        }
        const InputScales all(list);
        std::vector<float> x(count), out(count);
        const auto same = [&](const char* what) {
            all(x.data(), out.data());
            for (std::size_t i = 0; i < count; ++i)
                EXPECT_NEAR(out[i], list[i].of(x[i]), 1e-5) << what << ", input " << i;
        };
        for (int round = 0; round < 10; ++round) {
            for (float& v : x) v = 1.5f * number(random_);
            same("anywhere");
        }
        for (std::size_t i = 0; i < count; ++i) x[i] = list[i].quantiles.front();
        same("at the first quantile");
        for (std::size_t i = 0; i < count; ++i) x[i] = list[i].quantiles.back();
        same("at the last quantile");
        for (const float far : {-1e30f, 1e30f}) {
            std::fill(x.begin(), x.end(), far);
            same("far away");
        }
    }
}

/// Weights as a training makes them, which leave room for inputs in some ten thousand steps.
TEST_F(Vectors, SumsOfALayerAreThoseOfItsWeights) {
    std::normal_distribution<float> weight(0, 0.15f), number(0, 1);
    for (const std::size_t inputs : {1, 2, 15, 111, 128})
        for (const std::size_t outputs : {1, 16, 45, 84, 128, 200}) {
            std::vector<Fixed> weights(inputs * outputs);
            for (Fixed& w : weights) w = to_fixed(weight(random_));
            std::vector<float> bias(outputs), x(filled_up(inputs));
            std::vector<float> out(filled_up(outputs), kNaN);
            for (float& b : bias) b = number(random_);
            for (std::size_t i = 0; i < inputs; ++i) x[i] = number(random_);
            LayerSums(weights, bias, LayerSums::Then::nothing)(x.data(), out.data());
            std::vector<float> swished(out.size());
            LayerSums(weights, bias, LayerSums::Then::hard_swish)(x.data(), swished.data());
            for (std::size_t k = 0; k < outputs; ++k) {
                double sum = bias[k];
                for (std::size_t i = 0; i < inputs; ++i)
                    sum += double{x[i]} * weights[i * outputs + k] * kFixedUnit;
                EXPECT_NEAR(out[k], sum, 1e-3) << inputs << " x " << outputs << ", " << k;
                EXPECT_NEAR(swished[k], out[k] * std::clamp(out[k] + 3, 0.0f, 6.0f) / 6, 1e-5);
            }
            for (std::size_t k = outputs; k < out.size(); ++k) EXPECT_EQ(out[k], 0);
        }
}

/// Whatever a file says: sums keep within 32 bits.
TEST_F(Vectors, TheLargestWeightsAndInputsDoNotOverflow) {
    constexpr std::size_t kInputs = 512, kOutputs = 16;
    for (const Fixed w : {std::numeric_limits<Fixed>::min(), std::numeric_limits<Fixed>::max()}) {
        const LayerSums sums(std::vector<Fixed>(kInputs * kOutputs, w),
                             std::vector<float>(kOutputs), LayerSums::Then::nothing);
        std::vector<float> x(kInputs, 1e6f), out(kOutputs);
        sums(x.data(), out.data());
        const float exact = kInputs * 1e6f * static_cast<float>(w) * kFixedUnit;
        EXPECT_NEAR(out[0] / exact, 1, 1e-3);
        EXPECT_EQ(out[0], out[kOutputs - 1]);
    }
    EXPECT_THROW(LayerSums(std::vector<Fixed>(4096, -32'768), {0}, LayerSums::Then::nothing),
                 Error);
}

/// Two products of the largest numbers there are fit; they would not, were both negative.
TEST_F(Vectors, TwoProductsOfTheLargestNumbersFit) {
    const std::vector<Fixed> weights(2, std::numeric_limits<Fixed>::min());
    const LayerSums sums(weights, {0}, LayerSums::Then::nothing);
    std::vector<float> x(kTogether), out(kTogether);
    for (const float value : {-1.0f, 1.0f}) {
        x[0] = x[1] = value;
        sums(x.data(), out.data());
        EXPECT_NEAR(out[0], -8 * value, 1e-2);
    }
}

TEST_F(Vectors, NothingAndAlmostNothingLeaveTheBias) {
    const std::vector<float> bias{1, -2, 3};
    const LayerSums sums(std::vector<Fixed>{1, 2, 3, 4, 5, 6}, bias, LayerSums::Then::nothing);
    std::vector<float> x(kTogether), out(kTogether);
    for (const float value : {0.0f, 1e-40f, 1e-31f}) {
        x[0] = value, x[1] = -value;
        sums(x.data(), out.data());
        EXPECT_TRUE(std::equal(bias.begin(), bias.end(), out.begin())) << value;
    }
    for (const float value : {kInfinite, -kInfinite, kNaN}) {
        x[0] = value;
        sums(x.data(), out.data());
        EXPECT_FALSE(std::isfinite(out[0])) << value;
    }
}

/// Appends a tree of this depth at most; some of its leaves lie higher.
std::int32_t grow(std::vector<Node>& nodes, int depth, std::mt19937_64& random) {
    const auto root = static_cast<std::int32_t>(nodes.size());
    nodes.push_back({-1, root, 0});
    if (depth == 0 || random() % 8 == 0) return root;
    const Node split{static_cast<std::int32_t>(random() % 5), 0,
                     static_cast<float>(random() % 100) / 100};
    nodes[static_cast<std::size_t>(root)] = split;
    grow(nodes, depth - 1, random);
    const std::int32_t right = grow(nodes, depth - 1, random);
    nodes[static_cast<std::size_t>(root)].right = right;
    return root;
}

TEST_F(Vectors, WalksEndWhereSingleOnesDo) {
    std::vector<Node> nodes;
    std::vector<std::int32_t> roots;
    for (int t = 0; t < 240; ++t) roots.push_back(grow(nodes, t % 9, random_));
    std::uniform_real_distribution<float> number(0, 1);
    for (const std::size_t count : {0, 1, 15, 16, 31, 32, 33, 100, 240}) {
        float x[5];
        for (float& v : x) v = number(random_);
        x[4] = kNaN;  // goes to the right
        std::vector<std::int32_t> at(roots.begin(),
                                     roots.begin() + static_cast<std::ptrdiff_t>(count));
        walk_to_leaves(nodes.data(), x, at.data(), at.size());
        for (std::size_t t = 0; t < count; ++t) {
            std::int32_t one = roots[t];
            for (const Node* n = &nodes[static_cast<std::size_t>(one)]; n->input >= 0;
                 n = &nodes[static_cast<std::size_t>(one)])
                one = x[n->input] <= n->limit ? one + 1 : n->right;
            EXPECT_EQ(at[t], one) << "tree " << t << " of " << count;
        }
    }
}

TEST_F(Vectors, ExponentialsAreThoseOfEachNumber) {
    std::uniform_real_distribution<float> number(-20, 20);
    for (const std::size_t count : {0, 1, 15, 16, 91}) {
        std::vector<float> x(count);
        for (float& v : x) v = number(random_);
        std::vector<float> y = x;
        exponentiate(y);
        for (std::size_t i = 0; i < count; ++i)
            EXPECT_NEAR(y[i] / std::exp(double{x[i]}), 1, 1e-6) << x[i];
    }
    std::vector<float> edges{0, -kInfinite, -200, 89, 100, 178, 200, 400, 3e38f, kInfinite, kNaN};
    exponentiate(edges);
    EXPECT_TRUE(std::isnan(edges.back()));
    edges.pop_back();
    std::vector<float> exact(edges.size(), kInfinite);
    exact[0] = 1, exact[1] = exact[2] = 0;
    EXPECT_EQ(edges, exact);
}

}  // namespace
}  // namespace sptune::models
