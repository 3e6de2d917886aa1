#include "matrix/error.hpp"
#include "models/svm.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace sptune::models {
namespace {

struct Points {
    std::vector<float> x;
    std::vector<int> labels;
    std::vector<double> weights;
    void add(float a, float b, int label, double weight = 1) {
        x.push_back(a), x.push_back(b), labels.push_back(label), weights.push_back(weight);
    }
    Svm train(const SvmOptions& options = {}) const {
        return Svm::train(2, x, labels, weights, options);
    }
};

TEST(Svm, SeparatesWhatALineSeparates) {
    Points p;
    std::mt19937 random(1);
    std::uniform_real_distribution<float> number(0, 1);
    for (int i = 0; i < 200; ++i) {
        const float a = number(random), b = number(random);
        if (std::abs(a + b - 1) > 0.1f) p.add(a, b, a + b > 1 ? 1 : -1);
    }
    const Svm svm = p.train();
    EXPECT_LT(svm.coefficients().size(), p.labels.size() / 2) << "few support vectors";
    for (std::size_t i = 0; i < p.labels.size(); ++i)
        EXPECT_GT(svm.decide(std::span(p.x).subspan(2 * i, 2)) * p.labels[i], 0) << i;
}

TEST(Svm, SeparatesARingFromItsMiddle) {
    Points p;
    for (int i = 0; i < 40; ++i) {
        const double angle = 0.157 * i;
        p.add(static_cast<float>(std::cos(angle)), static_cast<float>(std::sin(angle)), -1);
        p.add(static_cast<float>(0.3 * std::cos(angle)), static_cast<float>(0.3 * std::sin(angle)),
              1);
    }
    SvmOptions o;
    o.gamma = 1;
    const Svm svm = p.train(o);
    const float middle[] = {0, 0}, outside[] = {0.9f, 0.5f};
    EXPECT_GT(svm.decide(middle), 0);
    EXPECT_LT(svm.decide(outside), 0);
}

/// In one place the labels contradict each other: who pays more for being wrong decides.
TEST(Svm, WeightsDecideWhereLabelsContradict) {
    const float there[] = {0.5f, 0.5f};
    for (const int heavy : {1, -1}) {
        Points p;
        for (int i = 0; i < 10; ++i) {
            const float shift = 0.001f * static_cast<float>(i);
            p.add(0.5f + shift, 0.5f, heavy, 5);
            p.add(0.5f + shift, 0.5f, -heavy, 0.1);
            if (i < 3) p.add(0.5f, 0.5f + shift, -heavy, 0.1);
        }
        EXPECT_GT(p.train().decide(there) * heavy, 0) << heavy;
    }
}

TEST(Svm, OneClassAloneAnswersItself) {
    Points p;
    p.add(0, 0, -1), p.add(1, 1, -1);
    const float anywhere[] = {0.2f, 0.3f};
    EXPECT_LT(p.train().decide(anywhere), 0);
}

TEST(Svm, RefusesWhatDoesNotFit) {
    EXPECT_THROW(Svm(2, 1, 0, {1}, {1, 2, 3}), Error);
    EXPECT_THROW(Svm(1, 1, 0, {NAN}, {1}), Error);
    EXPECT_THROW(Svm(1, -1, 0, {1}, {1}), Error);
    const float x[] = {1, 2, 3};
    const int labels[] = {1};
    const double weights[] = {1};
    EXPECT_THROW(Svm::train(2, x, labels, weights), Error);
    const float point[] = {1, 2};
    EXPECT_THROW(Svm(1, 1, 0, {1}, {1}).decide(point), Error);
}

}  // namespace
}  // namespace sptune::models
