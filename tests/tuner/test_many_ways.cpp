// Which way several vectors take.
#include "tuner/many_ways.hpp"

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

const int kernels[2] = {};

/// Calls until nothing is timed any more, where each way takes so long. How many there were.
int settle(ManyWays& ways, std::size_t count, const void* kernel, double together,
           double one_by_one) {
    for (int calls = 0; calls < 100; ++calls) {
        const ManyWays::Step step = ways.next(count, kernel);
        if (!step.timed) return calls;
        const bool first = calls == 0;  // which makes memory
        ways.took(step, kernel,
                  (step.way == ManyWays::together ? together : one_by_one) + 500 * first);
    }
    return -1;
}

TEST(ManyWays, TakeWhatTookLess) {
    ManyWays ways;
    EXPECT_EQ(ways.why(), "");
    EXPECT_EQ(settle(ways, 8, &kernels[0], 10, 20), 6);
    EXPECT_EQ(ways.next(8, &kernels[0]).way, ManyWays::together);
    EXPECT_EQ(ways.next(15, &kernels[0]).way, ManyWays::together);
    EXPECT_FALSE(ways.next(15, &kernels[0]).timed);
    EXPECT_EQ(settle(ways, 2, &kernels[0], 30, 20), 6) << "another number is another question";
    EXPECT_EQ(ways.next(3, &kernels[0]).way, ManyWays::one_by_one);
    EXPECT_EQ(ways.why(),
              " Several vectors together took, each: 30.0 µs of 2 to 3 (one by one 20.0 µs); "
              "10.0 µs of 8 to 15 (one by one 20.0 µs).");
    EXPECT_EQ(settle(ways, 1000, &kernels[0], 1, 2), 6);
    EXPECT_EQ(settle(ways, 64, &kernels[0], 1, 2), 0);
}

TEST(ManyWays, AnotherKernelIsTriedAnew) {
    ManyWays ways;
    settle(ways, 8, &kernels[0], 10, 20);
    EXPECT_EQ(settle(ways, 8, &kernels[1], 10, 5), 3);
    EXPECT_EQ(ways.next(8, &kernels[1]).way, ManyWays::one_by_one);
    // What was begun with the one before says nothing of the next.
    ManyWays late;
    for (int i = 0; i < 3; ++i) late.took(late.next(8, &kernels[0]), &kernels[0], 10);
    const ManyWays::Step step = late.next(8, &kernels[0]);
    ASSERT_EQ(step.way, ManyWays::one_by_one);
    late.next(8, &kernels[1]);
    late.took(step, &kernels[0], 1);
    EXPECT_EQ(settle(late, 8, &kernels[1], 10, 20), 3);
    EXPECT_EQ(late.next(8, &kernels[1]).way, ManyWays::together);
}

}  // namespace
}  // namespace sptune::tuner
