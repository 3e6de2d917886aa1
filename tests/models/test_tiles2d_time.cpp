// What two-dimensional tiles are predicted to take.
#include "models/tiles2d_time.hpp"

#include <gtest/gtest.h>

namespace sptune::models {
namespace {

const Tiles2dWork kUsual{146e6, 35e6, 5.2e6, 16.8e6, 0, 1024, 4, 132};

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
}

TEST(Tiles2dTime, ConversionGrowsWithTheEntries) {
    Tiles2dWork more = kUsual;
    more.entries *= 2;
    EXPECT_GT(tiles2d_convert_us(more), 1.5 * tiles2d_convert_us(kUsual));
}

}  // namespace
}  // namespace sptune::models
