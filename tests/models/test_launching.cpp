// What launches add to the time of a GPU's kernel.
#include "models/launching.hpp"

#include <gtest/gtest.h>

namespace sptune::models {
namespace {

constexpr Launching kSlow{4, 0.25, 1};

TEST(Launching, ShortCallsWaitForTheHost) {
    EXPECT_EQ(as_called_us(2.5, 1, 0, kSlow), 4);
    EXPECT_EQ(as_called_us(2.5, 2, 2, kSlow), 8);
    EXPECT_EQ(as_called_us(1.5, 1, 1, kSlow), as_called_us(2.9, 1, 1, kSlow));
}

TEST(Launching, LongOnesHaveGapsAlone) {
    EXPECT_EQ(as_called_us(30, 1, 0, kSlow), 31);
    EXPECT_EQ(as_called_us(30, 2, 0, kSlow), 32);
    EXPECT_EQ(as_called_us(30, 2, 1, kSlow), 31.25);
    EXPECT_EQ(as_called_us(30, 1, 1, kSlow), 30.25);
}

TEST(Launching, TheFirstOfSomeBeginsInOrder) {
    EXPECT_EQ(early_launches("coo", false, 2), 2);
    EXPECT_EQ(early_launches("hub", false, 2), 1);
    EXPECT_EQ(early_launches("tiles2d", false, 2), 1);
    EXPECT_EQ(early_launches("cusparse", true, 2), 0);
}

TEST(Launching, GraphsHaveNeither) {
    EXPECT_EQ(as_called_us(2.5, 2, 2, {0, 0, 0}), 2.5);
}

TEST(Launching, IsThatOfTheDeviceWhereItWasMeasured) {
    db::Device device;
    EXPECT_GT(launching_of(device).host_us, 0);
    EXPECT_GT(launching_of(device).gap_us, 0);
    device.host_launch_us = 2.25, device.launch_gap_us = 0.5;
    EXPECT_EQ(launching_of(device).host_us, 2.25);
    EXPECT_EQ(launching_of(device).gap_us, 0.5);
}

Variant kernel(const char* format, const char* algorithm) {
    Variant v;
    v.backend = Backend::cuda, v.format = format, v.algorithm = algorithm;
    return v;
}

TEST(Launching, ChoicesAreWaryOfSeveral) {
    EXPECT_EQ(expected_us(2.5, 1, false, kSlow), 2.5) << "may be seen";
    EXPECT_EQ(expected_us(1.5, 1, false, kSlow), 2) << "is not";
    EXPECT_EQ(expected_us(2.5, 2, false, kSlow), 12);
    EXPECT_EQ(expected_us(30, 2, false, kSlow), 30);
    EXPECT_EQ(expected_us(30, 2, true, kSlow), 32);
    db::Device device;
    device.host_launch_us = 4;
    EXPECT_EQ(expected_us(device, kernel("coo", "atomic"), 2.5), 12);
    Variant cpu = kernel("coo", "atomic");
    cpu.backend = Backend::cpu;
    EXPECT_EQ(expected_us(device, cpu, 2.5), 2.5);
}

TEST(Launching, OfWhatModelsLearnFromOnlyAVendorsKernelsHaveGaps) {
    db::Device device;
    device.host_launch_us = 4, device.launch_gap_us = 1, device.early_gap_us = 0.25;
    Variant v = kernel("csr", "vector");
    EXPECT_EQ(as_called_us(device, v, 30), 30);
    EXPECT_EQ(as_called_us(device, v, 2), 4);
    v.op = Op::spgemm;
    EXPECT_EQ(as_called_us(device, v, 2), 2);
    v = kernel("cusparse", "csr");
    v.vendor = true, v.params = {{"o", 2}};
    EXPECT_EQ(as_called_us(device, v, 30), 33);
    v.backend = Backend::cpu;
    EXPECT_EQ(as_called_us(device, v, 2), 2);
}

TEST(Launching, CountsThoseOfAKernel) {
    const auto count = [](const char* format, const char* algorithm) {
        return launches_of(kernel(format, algorithm));
    };
    EXPECT_EQ(count("csr", "vector"), 1);
    EXPECT_EQ(count("csr", "merge"), 2);
    EXPECT_EQ(count("coo", "atomic"), 2);
    EXPECT_EQ(count("sell", "slices"), 1);
}

}  // namespace
}  // namespace sptune::models
