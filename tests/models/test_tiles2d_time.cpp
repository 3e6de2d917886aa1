// What two-dimensional tiles are predicted to take.
#include "models/tiles2d_time.hpp"

#include <gtest/gtest.h>

namespace sptune::models {
namespace {

constexpr double kGbs = 4220;  // of the memory of an H200, as a choice assumes it

const Tiles2dWork kUsual{146e6, 35e6, 5.2e6, 16.8e6, 0, 1024, 4, 132, kGbs};

struct Measured {
    const char* name;
    Tiles2dWork work;
    double us;
};
/// Of the sweep on an H200 that it was fitted to (bench/results/2026-11-28-tiles2d.md).
const Measured kMeasured[] = {
    {"2^20 rows of 16", {140.0e6, 34.6e6, 5.24e6, 16.8e6, 0, 512, 4, 132, kGbs}, 66.2},
    {"2^18 rows of 64", {135.2e6, 4.72e6, 2.18e6, 16.8e6, 0, 1024, 4, 132, kGbs}, 46.4},
    {"2^21 rows of 48", {863.1e6, 287.3e6, 4.12e6, 100.7e6, 0, 1024, 4, 132, kGbs}, 325.5},
    {"uniform, f64", {250.9e6, 31.5e6, 2.75e6, 19.6e6, 0.1, 512, 8, 132, kGbs}, 101.6},
    {"2^19 rows of 16, f64", {119.2e6, 18.4e6, 2.50e6, 8.4e6, 0, 1024, 8, 132, kGbs}, 61.1},
    {"rmat, f64", {136.2e6, 9.18e6, 1.25e6, 11.1e6, 0.891, 512, 8, 132, kGbs}, 85.3},
};

TEST(Tiles2dTime, IsNearWhatWasMeasured) {
    for (const Measured& m : kMeasured)
        EXPECT_NEAR(tiles2d_us(m.work) / m.us, 1, m.work.gini < 0.5 ? 0.1 : 0.3) << m.name;
}

TEST(Tiles2dTime, GrowsWithTheWorkAndFallsWithTheMultiprocessors) {
    const auto more = [&](auto change) {
        Tiles2dWork w = kUsual;
        change(w);
        return tiles2d_us(w) > tiles2d_us(kUsual);
    };
    EXPECT_TRUE(more([](Tiles2dWork& w) { w.bytes *= 1.1; }));
    EXPECT_TRUE(more([](Tiles2dWork& w) { w.fetched *= 1.1; }));
    EXPECT_TRUE(more([](Tiles2dWork& w) { w.slots *= 1.1; }));
    EXPECT_TRUE(more([](Tiles2dWork& w) { w.gini = 0.3; }));
    EXPECT_TRUE(more([](Tiles2dWork& w) { w.value_bytes = 8; }));
    EXPECT_TRUE(more([](Tiles2dWork& w) { w.multiprocessors = 66; }));
    EXPECT_TRUE(more([](Tiles2dWork& w) { w.bandwidth_gbs = 3000; }));
    EXPECT_FALSE(more([](Tiles2dWork& w) { w.bandwidth_gbs = 8000; }));
}

TEST(Tiles2dTime, ConversionGrowsWithTheEntries) {
    Tiles2dWork more = kUsual;
    more.entries *= 2;
    EXPECT_GT(tiles2d_convert_us(more), 1.5 * tiles2d_convert_us(kUsual));
}

}  // namespace
}  // namespace sptune::models
