// What launches add to the time of a GPU's kernel.
#include "models/launching.hpp"

#include <gtest/gtest.h>

namespace sptune::models {
namespace {

constexpr Launching kSlow{4, 1};

TEST(Launching, ShortCallsWaitForTheHost) {
    EXPECT_EQ(as_called_us(2.5, 1, kSlow), 4);
    EXPECT_EQ(as_called_us(2.5, 2, kSlow), 8);
    EXPECT_EQ(as_called_us(1.5, 1, kSlow), as_called_us(2.9, 1, kSlow));
}

TEST(Launching, LongOnesHaveGapsAlone) {
    EXPECT_EQ(as_called_us(30, 1, kSlow), 31);
    EXPECT_EQ(as_called_us(30, 2, kSlow), 32);
}

TEST(Launching, GraphsHaveNeither) {
    EXPECT_EQ(as_called_us(2.5, 2, {0, 0}), 2.5);
}

TEST(Launching, IsThatOfTheDeviceWhereItWasMeasured) {
    db::Device device;
    EXPECT_GT(launching_of(device).host_us, 0);
    EXPECT_GT(launching_of(device).gap_us, 0);
    device.host_launch_us = 2.25, device.launch_gap_us = 0.5;
    EXPECT_EQ(launching_of(device).host_us, 2.25);
    EXPECT_EQ(launching_of(device).gap_us, 0.5);
}

TEST(Launching, CountsThoseOfAKernel) {
    const auto count = [](const char* format, const char* algorithm) {
        Variant v;
        v.backend = Backend::cuda, v.format = format, v.algorithm = algorithm;
        return launches_of(v);
    };
    EXPECT_EQ(count("csr", "vector"), 1);
    EXPECT_EQ(count("csr", "merge"), 2);
    EXPECT_EQ(count("coo", "atomic"), 2);
    EXPECT_EQ(count("sell", "slices"), 1);
}

}  // namespace
}  // namespace sptune::models
