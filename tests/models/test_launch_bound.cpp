// Matrices whose products wait for their launches.
#include "kernels/registry.hpp"
#include "models/launch_bound.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace sptune::models {
namespace {

constexpr Launching kSlow{3.8, 0.15, 0.9};

Variant threads_per_row(int threads, ValueType value = ValueType::f64) {
    Variant v = spmv_baseline(Backend::cuda, value, IndexType::i32);
    v.params = {{"t", threads}, {"b", 256}};
    return v;
}

double us(const Outline& outline, index_t cols, int threads = 8, ValueType value = ValueType::f64) {
    return threads_per_row_us(threads_per_row(threads, value), outline, cols);
}

TEST(LaunchBound, SmallMatricesWait) {
    const Outline small{10'000, 50'000, 9, 132};
    EXPECT_TRUE(waits_for_launch(threads_per_row(8), small, 10'000, kSlow));
    EXPECT_FALSE(waits_for_launch(threads_per_row(8), small, 10'000, {0, 0, 0})) << "in graphs";
    EXPECT_FALSE(waits_for_launch(threads_per_row(8), small, 10'000, {1.5, 0.15, 0.9}));
}

TEST(LaunchBound, LargeOnesAndLongRowsDoNot) {
    EXPECT_FALSE(
        waits_for_launch(threads_per_row(8), {1'000'000, 5'000'000, 9, 132}, 1'000'000, kSlow));
    EXPECT_FALSE(waits_for_launch(threads_per_row(8), {10'000, 50'000, 2000, 132}, 10'000, kSlow));
    EXPECT_TRUE(waits_for_launch(threads_per_row(32), {1000, 200'000, 200, 132}, 1000, kSlow));
}

/// What a busy host has measured does not make large matrices small.
TEST(LaunchBound, VeryLongLaunchesAreNotBelieved) {
    const Outline large{200'000, 1'000'000, 9, 132};
    EXPECT_GT(us(large, 200'000), 5);
    EXPECT_FALSE(waits_for_launch(threads_per_row(8), large, 200'000, {1000, 0.15, 0.9}));
}

TEST(LaunchBound, EverythingThatGrowsTakesLonger) {
    const Outline o{50'000, 250'000, 12, 132};
    const double least = us(o, 50'000);
    EXPECT_LT(us({50'000, 250'000, 4, 132}, 50'000), least);
    EXPECT_LT(us({25'000, 250'000, 12, 132}, 50'000), least);
    EXPECT_LT(us({50'000, 125'000, 12, 132}, 50'000), least);
    EXPECT_LT(us(o, 25'000), least);
    EXPECT_LT(us(o, 50'000, 8, ValueType::f32), least);
    EXPECT_GT(us({50'000, 250'000, 12, 16}, 50'000), 2 * least) << "fewer multiprocessors";
    EXPECT_EQ(us({50'000, 250'000, 12, 0}, 50'000), least) << "unknown: as many as an H100 has";
}

TEST(LaunchBound, StepsOfALongRowTakeLessThanTheFirstOnes) {
    const auto of_row = [](index_t longest) { return us({10'000, 50'000, longest, 132}, 10'000); };
    const double first = of_row(8 * 24) - of_row(8 * 23), later = of_row(8 * 25) - of_row(8 * 24);
    EXPECT_GT(later, 0);
    EXPECT_LT(later, first);
    EXPECT_NEAR(of_row(8 * 26) - of_row(8 * 25), later, 1e-9);
}

TEST(LaunchBound, IsKnownOfThreadsPerRowAlone) {
    Variant tiles = threads_per_row(8);
    tiles.algorithm = "tiles";
    EXPECT_TRUE(std::isinf(threads_per_row_us(tiles, {100, 500, 5, 132}, 100)));
    EXPECT_FALSE(waits_for_launch(tiles, {100, 500, 5, 132}, 100, kSlow));
    Variant sell = threads_per_row(8);
    sell.format = "sell";
    EXPECT_TRUE(std::isinf(threads_per_row_us(sell, {100, 500, 5, 132}, 100)));
}

}  // namespace
}  // namespace sptune::models
