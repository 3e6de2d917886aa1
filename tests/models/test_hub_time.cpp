// What multiplying with hub columns is predicted to take.
#include "models/hub_time.hpp"

#include <gtest/gtest.h>

namespace sptune::models {
namespace {

struct Measured {
    const char* name;
    HubWork work;
    double us, convert_us;
};
/// Some of bench/results/2026-11-28-hub.md, on an H200.
const Measured kMeasured[] = {
    {"rmat", {0.8184 * 16088600, 0.1816 * 16088600, 1932824, 2, 32768, 4, 132}, 70.8, 1262},
    {"rmat, f64", {0.8184 * 16088600, 0.1816 * 16088600, 3197676, 4, 16384, 8, 132}, 91.8, 2074},
    {"dense rmat", {0.9518 * 11120462, 0.0482 * 11120462, 514745, 2, 32768, 4, 132}, 39.0, 1000},
    {"rows of 16", {0.6237 * 8000000, 0.3763 * 8000000, 2836282, 8, 32768, 4, 132}, 75.4, 862},
};

TEST(HubTime, IsNearWhatWasMeasured) {
    for (const Measured& m : kMeasured) {
        EXPECT_NEAR(hub_us(m.work) / m.us, 1, 0.2) << m.name;
        EXPECT_NEAR(hub_convert_us(m.work) / m.convert_us, 1, 0.4) << m.name;
    }
}

TEST(HubTime, GrowsWithTheWorkAndFallsWithTheMultiprocessors) {
    const HubWork usual = kMeasured[0].work;
    const auto more = [&](auto change) {
        HubWork w = usual;
        change(w);
        return hub_us(w) > hub_us(usual);
    };
    EXPECT_TRUE(more([](HubWork& w) { w.sums *= 2; }));
    EXPECT_TRUE(more([](HubWork& w) { w.hot *= 2; }));
    EXPECT_TRUE(more([](HubWork& w) { w.cold += 1e5, w.hot -= 1e5; }));
    EXPECT_TRUE(more([](HubWork& w) { w.value_bytes = 8; }));
    EXPECT_TRUE(more([](HubWork& w) { w.multiprocessors = 66; }));
    EXPECT_FALSE(more([](HubWork& w) { w.bands = 1; }));
    EXPECT_FALSE(more([](HubWork& w) { w.columns = 16384; }));
}

}  // namespace
}  // namespace sptune::models
