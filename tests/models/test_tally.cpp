// How choices are scored.
#include "models/evaluate.hpp"
#include "models/tally.hpp"
#include "tests/models/entries.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace sptune::models {
namespace {

/// CSR, two SELLs that take 0.6 times as long, and DIA, which was not measured.
Sample large_and_even() {
    return made_sample("family", 0, false, 5000, 5);
}

Score score_of(const Sample& s, const Timed& chosen) {
    Tally tally("test", 0);
    tally.add(s, chosen, nullptr);
    return tally.score();
}

TEST(Tally, WhatWasNotMeasuredIsNoYardstick) {
    Sample s = large_and_even();
    ASSERT_TRUE(s.timed[3].bounded);
    s.timed[3].us = 0.1 * s.baseline_us();  // a guess that is better than the best
    EXPECT_EQ(score_of(s, s.timed[1]).geomean, 0);
    EXPECT_EQ(score_of(s, s.timed[3]).geomean, 0) << "no better than the best";
}

TEST(Tally, SlowerByAFewPercentIsSlowerButNotByFive) {
    Sample s = large_and_even();
    for (const double factor : {1.0, 1.03, 1.06}) {
        s.timed[2].us = factor * s.baseline_us();
        const Score score = score_of(s, s.timed[2]);
        EXPECT_EQ(score.slower, factor > 1) << factor;
        EXPECT_EQ(score.slower_5, factor > 1.05) << factor;
    }
}

TEST(Evaluate, AVendorsKernelCountsWhereItWasMeasured) {
    for (const bool bounded : {true, false}) {
        std::vector<Sample> samples(4, large_and_even());
        for (std::size_t i = 0; i < samples.size(); ++i) {
            samples[i].name = samples[i].group = std::string(1, static_cast<char>('a' + i));
            samples[i].timed.push_back(samples[i].timed[1]);
            samples[i].timed.back().variant.vendor = true;
            samples[i].timed.back().variant.algorithm = "vendors";
            samples[i].timed.back().bounded = bounded;
        }
        EvaluateOptions options;
        options.folds = 2;
        options.trees = TreeOptions{}, options.trees->forest.trees = options.trees->side.trees = 5;
        const auto scores = evaluate(samples, options).scores;
        EXPECT_EQ(std::ranges::count(scores, "vendor's best", &Score::name), !bounded);
    }
}

}  // namespace
}  // namespace sptune::models
