#include "matrix/counter_random.hpp"
#include "tuner/last_times.hpp"
#include "tuner/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

TEST(Statistics, OfKnownSamples) {
    const Statistics s = summarize({5, 1, 2, 100, 3, 4});
    EXPECT_EQ(s.count, 6);
    EXPECT_DOUBLE_EQ(s.median, 3.5);
    EXPECT_DOUBLE_EQ(s.mad, 1.5);  // deviations 0.5 0.5 1.5 1.5 2.5 96.5
    EXPECT_DOUBLE_EQ(s.min, 1);
    EXPECT_DOUBLE_EQ(s.ci_low, 1);
    EXPECT_DOUBLE_EQ(s.ci_high, 100);
    EXPECT_EQ(summarize({}).count, 0);
    EXPECT_DOUBLE_EQ(summarize({7}).median, 7);
    EXPECT_DOUBLE_EQ(summarize({7}).noise(), 0);
}

TEST(Statistics, RankIsThatOfTheSignTest) {
    // Published two-sided 95 % critical values of the sign test, plus one.
    EXPECT_EQ(interval_rank(1), 1);
    EXPECT_EQ(interval_rank(5), 1);
    EXPECT_EQ(interval_rank(6), 1);
    EXPECT_EQ(interval_rank(9), 2);
    EXPECT_EQ(interval_rank(12), 3);
    EXPECT_EQ(interval_rank(20), 6);
    EXPECT_EQ(interval_rank(30), 10);
    EXPECT_EQ(interval_rank(100), 40);
    EXPECT_NEAR(interval_rank(1001), interval_rank(1000), 2);
}

/// Share of trials whose interval holds the true median.
template <class Draw>
double coverage(int samples, double truth, Draw draw) {
    constexpr int kTrials = 4000;
    std::mt19937_64 random(7);
    int held = 0;
    for (int t = 0; t < kTrials; ++t) {
        std::vector<double> v(static_cast<std::size_t>(samples));
        for (double& x : v) x = draw(random);
        const Statistics s = summarize(v);
        held += s.ci_low <= truth && truth <= s.ci_high;
    }
    return static_cast<double>(held) / kTrials;
}

TEST(Statistics, IntervalCoversWhateverTheDistribution) {
    for (const int n : {6, 15, 60}) {
        std::exponential_distribution<double> skewed(1);
        std::cauchy_distribution<double> heavy(3, 1);
        EXPECT_GE(coverage(n, std::log(2.0), [&](auto& r) { return skewed(r); }), 0.945);
        EXPECT_GE(coverage(n, 3, [&](auto& r) { return heavy(r); }), 0.945);
    }
}

TEST(Statistics, PairingCancelsDrift) {
    // b is 3 % slower than a, while the machine slows down by a factor of two.
    std::vector<double> a, b, same;
    for (int i = 0; i < 12; ++i) {
        const double drift = 1 + i / 12.0;
        a.push_back(10 * drift);
        b.push_back(10.3 * drift);
        same.push_back((i % 2 ? 9.9 : 10.1) * drift);
    }
    EXPECT_TRUE(clearly_faster(a, b));
    EXPECT_FALSE(clearly_faster(b, a));
    EXPECT_FALSE(clearly_faster(a, same));
    EXPECT_FALSE(clearly_faster(same, a));
    EXPECT_FALSE(clearly_faster({}, a));
}

TEST(LastTimes, AreTheLastNine) {
    LastTimes times;
    EXPECT_TRUE(times.empty());
    EXPECT_EQ(times.median(), 0);
    std::vector<double> all;
    Stream random(4, 0);
    for (int i = 0; i < 200; ++i) {
        all.push_back(std::floor(6 * random.uniform()));  // many are the same
        times.add(all.back());
        std::vector<double> last(all.end() - std::min(9, i + 1), all.end());
        std::sort(last.begin(), last.end());
        const std::size_t n = last.size();
        EXPECT_EQ(times.median(), (last[n / 2] + last[(n - 1) / 2]) / 2) << i;
        EXPECT_EQ(times.least(), last.front()) << i;
    }
    times.clear();
    EXPECT_TRUE(times.empty());
    times.add(7);
    EXPECT_EQ(times.median(), 7);
}

}  // namespace
}  // namespace sptune::tuner
