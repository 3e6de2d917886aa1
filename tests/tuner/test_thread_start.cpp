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
    EXPECT_GE(same, 1) << "a thousand calls that measure take a millisecond at least";
}

}  // namespace
}  // namespace sptune::tuner
