#include "matrix/error.hpp"
#include "models/forest.hpp"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace sptune::models {
namespace {

/// Two known functions of two inputs out of four; the others are noise.
Table known_functions(std::size_t rows, std::uint64_t seed) {
    Table t{rows, 4, 2, {}, {}};
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<float> number(-1, 1);
    for (std::size_t i = 0; i < rows; ++i) {
        float x[4];
        for (float& v : x) t.x.push_back(v = number(random));
        t.y.push_back(x[0] > 0.2f ? 1.0f : x[1]);
        t.y.push_back(x[1] * x[1] + 10);
    }
    return t;
}

double error_of(const Forest& forest, const Table& t, std::size_t output) {
    double sum = 0;
    for (std::size_t i = 0; i < t.rows; ++i) {
        const auto y = forest.predict(std::span(t.x_of(i), t.inputs));
        sum += std::pow(y[output] - t.y_of(i)[output], 2);
    }
    return std::sqrt(sum / static_cast<double>(t.rows));
}

TEST(Forest, LearnsKnownFunctionsOfUnseenPoints) {
    ForestOptions o;
    o.input_share = 0.8;
    const Forest forest = Forest::train(known_functions(2000, 1), o);
    const Table unseen = known_functions(500, 2);
    EXPECT_LT(error_of(forest, unseen, 0), 0.12);
    EXPECT_LT(error_of(forest, unseen, 1), 0.08);
}

TEST(Forest, UnknownTargetsCountForNothing) {
    Table t = known_functions(1000, 3);
    Table holes = t;
    for (std::size_t i = 0; i < t.rows; i += 2)
        holes.y[i * 2] = std::numeric_limits<float>::quiet_NaN();
    const Forest forest = Forest::train(holes, {});
    EXPECT_LT(error_of(forest, t, 0), 0.25);
    EXPECT_LT(error_of(forest, t, 1), 0.12);
}

/// Both outputs vary with x[0], which does not matter to who is less; x[1] tells that.
Table two_rivals(std::size_t rows, std::uint64_t seed) {
    Table t{rows, 4, 2, {}, {}};
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<float> number(0, 1);
    for (std::size_t i = 0; i < rows; ++i) {
        float x[4];
        for (float& v : x) t.x.push_back(v = number(random));
        const float behind = 0.2f * (x[1] - 0.5f);
        t.y.push_back(x[0] + behind);
        t.y.push_back(x[0] - behind);
    }
    return t;
}

TEST(Forest, TreesThatFollowTheChoiceMakeItCheaper) {
    const auto mean_cost = [](const Forest& forest, const Table& t) {
        double sum = 0;
        for (std::size_t i = 0; i < t.rows; ++i) {
            const auto y = forest.predict(std::span(t.x_of(i), t.inputs));
            const float* real = t.y_of(i);
            sum += real[y[0] < y[1] ? 0 : 1] - std::min(real[0], real[1]);
        }
        return sum / static_cast<double>(t.rows);
    };
    const Table t = two_rivals(1000, 5), unseen = two_rivals(500, 6);
    ForestOptions few;
    few.trees = 10, few.depth = 2;
    ChoiceOptions choice;
    choice.trees = 30, choice.most = 2;
    const double before = mean_cost(Forest::train(t, few), unseen);
    const double after = mean_cost(Forest::train(t, few, t.y, choice), unseen);
    EXPECT_GT(before, 0.01);
    EXPECT_LT(after, 0.2 * before);
}

TEST(Forest, SameSeedSameTrees) {
    const Table t = known_functions(300, 4);
    const Forest a = Forest::train(t, {}), b = Forest::train(t, {});
    EXPECT_EQ(a.leaves(), b.leaves());
    ForestOptions other;
    other.seed = 2;
    EXPECT_NE(a.leaves(), Forest::train(t, other).leaves());
}

/// Sums of several outputs are taken at a time, walks go on side by side: with as many of both as
/// make up whole groups of them, with fewer and with some left over.
TEST(Forest, PredictsTheSumOfTheLeavesThatXLeadsTo) {
    std::mt19937_64 random(8);
    std::uniform_int_distribution<int> number(-30'000, 30'000);
    for (const std::size_t outputs : {1, 5, 16, 17, 32, 44})
        for (const std::size_t trees : {1, 16, 39}) {
            std::vector<Node> nodes;
            std::vector<std::int32_t> roots;
            std::vector<Fixed> leaves;
            std::vector<float> base(outputs, 0.25f);
            std::vector<double> expected(outputs, 0.25);
            const float x[] = {0.3f, -0.6f};
            for (std::size_t t = 0; t < trees; ++t) {
                // Every third tree is a leaf, the others ask for x[0], then, on the left, for x[1].
                const auto leaf = static_cast<std::int32_t>(leaves.size() / outputs);
                const auto at = static_cast<std::int32_t>(nodes.size());
                const float first = t % 2 ? 0.5f : 0.1f, second = t % 5 ? -0.5f : -0.7f;
                std::size_t reached = 0;
                roots.push_back(at);
                if (t % 3 == 0) {
                    nodes.push_back({-1, leaf, 0});
                } else {
                    nodes.push_back({0, at + 4, first});
                    nodes.push_back({1, at + 3, second});
                    for (std::int32_t l = 0; l < 3; ++l) nodes.push_back({-1, leaf + l, 0});
                    reached = x[0] > first ? 2 : x[1] > second ? 1 : 0;
                }
                const std::size_t count = t % 3 == 0 ? 1 : 3;
                for (std::size_t l = 0; l < count; ++l)
                    for (std::size_t k = 0; k < outputs; ++k) {
                        leaves.push_back(static_cast<Fixed>(number(random)));
                        if (l == reached) expected[k] += kFixedUnit * leaves.back();
                    }
            }
            const Forest forest(2, base, roots, nodes, leaves);
            const std::vector<float> y = forest.predict(x);
            for (std::size_t k = 0; k < outputs; ++k)
                EXPECT_NEAR(y[k], expected[k], 1e-4) << k << " of " << outputs << ", " << trees;
        }
}

TEST(Forest, StoredArraysThatLeadAstrayAreRefused) {
    const std::vector<Node> good{{0, 2, 0.5f}, {-1, 0, 0}, {-1, 1, 0}};
    const auto make = [](std::vector<Node> nodes, std::vector<std::int32_t> roots = {0},
                         std::vector<Fixed> leaves = {1, 8192}) {
        return Forest(1, {0}, std::move(roots), std::move(nodes), std::move(leaves));
    };
    const float x[] = {0.7f};
    EXPECT_EQ(make(good).predict(x)[0], 1) << "8192 / 8192";
    EXPECT_THROW(make({{0, 0, 0.5f}, {-1, 0, 0}, {-1, 1, 0}}), Error) << "a circle";
    EXPECT_THROW(make({{0, 9, 0.5f}, {-1, 0, 0}, {-1, 1, 0}}), Error) << "beyond the nodes";
    EXPECT_THROW(make({{1, 2, 0.5f}, {-1, 0, 0}, {-1, 1, 0}}), Error) << "no such input";
    EXPECT_THROW(make({{0, 2, 0.5f}, {-1, 0, 0}, {-1, 2, 0}}), Error) << "no such leaf";
    EXPECT_THROW(make({{0, 2, 0.5f}, {-1, 0, 0}, {0, 2, 0}}), Error) << "falls off the end";
    EXPECT_THROW(make(good, {3}), Error);
    EXPECT_THROW(make(good, {-1}), Error);
    EXPECT_THROW(make(good, std::vector<std::int32_t>(1 << 16)), Error) << "sums would overflow";
    EXPECT_THROW(Forest(1, {NAN}, {0}, good, {1, 2}), Error);
    EXPECT_THROW(Forest(1, {0, 0}, {0}, good, {1, 2, 3}), Error);
    EXPECT_THROW(Forest(1, {}, {}, {}, {}), Error);
    EXPECT_THROW(Forest(0, {0}, {0}, {{-1, 0, 0}}, {1}), Error) << "nothing to look at";
}

}  // namespace
}  // namespace sptune::models
