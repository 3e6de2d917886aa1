#include "tuner/thread_start.hpp"

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

TEST(ThreadStart, OfOneIsNothing) {
    EXPECT_EQ(thread_start_us(1), 0);
}

TEST(ThreadStart, IsPositiveBoundedAndNotMeasuredAgainAtOnce) {
    const double first = thread_start_us(2);
    EXPECT_GT(first, 0.01);
    EXPECT_LE(first, 50);
    int same = 0;
    for (int i = 0; i < 1000; ++i) same += thread_start_us(2) == first;
    EXPECT_GE(same, 900) << "a thousand calls that do not measure take far less than 100 ms";
}

TEST(ThreadStart, IsUnknownWithinAParallelRegion) {
    double within = -1;
#pragma omp parallel num_threads(2)
#pragma omp single
    within = thread_start_us(3);
    EXPECT_EQ(within, 0) << "nested regions have one thread";
    EXPECT_GT(thread_start_us(3), 0) << "that was not remembered";
}

}  // namespace
}  // namespace sptune::tuner
