// Choices for calls that CUDA graphs launch.
#include "tests/tuner/selections.hpp"
#include "tuner/select_predict.hpp"
#include "tuner/select_stored.hpp"

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

TEST_F(Select, StoredTimesOfGraphsCountInGraphs) {
    kernels_.push_back(kernel(fake::right, 40, 200, 0));
    kernels_.push_back(kernel(fake::right, 41, 200, 0));
    const KernelIndex<double, std::int32_t> index(kernels_, id(0));
    db::Entry e = entry(here());
    e.candidates[1].device_us = 30, e.candidates[2].device_us = 20;
    const db::Digest digest = db::digest_of(e, db::Extent::all);
    const auto times = [&](bool in_graphs) {
        Lookup lookup;
        std::map<std::string, double> us;
        for (const auto& entrant : field_of(digest, index, in_graphs, lookup))
            us[std::string(entrant.id)] = entrant.predicted_us;
        return us;
    };
    using Times = std::map<std::string, double>;
    EXPECT_EQ(times(false), (Times{{id(0), 100}, {id(1), 40}, {id(2), 41}}));
    EXPECT_EQ(times(true), (Times{{id(0), 100}, {id(1), 30}, {id(2), 20}}))
        << "where they are not known, those of loops";
}

/// There is nothing to launch.
TEST_F(Select, OnACpuGraphsMakeNoDifference) {
    kernels_.push_back(kernel(fake::right, 50, 200, 500));
    store_.save(entry(here()));
    options_.calls = 200;
    const Selection s = select();
    options_.in_graphs = true;
    const Selection same = select();
    EXPECT_EQ(same.chosen.id, s.chosen.id);
    EXPECT_EQ(same.why, s.why);
    EXPECT_FALSE(same.in_graphs);
}

TEST(InGraphs, LaunchesTakeNothing) {
    SelectOptions options;
    db::Device device;
    options.in_graphs = true;
    tell_launches(device, options);
    const models::Launching l = models::launching_of(device);
    EXPECT_EQ(l.host_us, 0);
    EXPECT_EQ(l.early_gap_us, 0);
    EXPECT_EQ(l.gap_us, 0);
    EXPECT_EQ(models::expected_us(2.5, 2, true, l), 2.5);
}

}  // namespace
}  // namespace sptune::tuner
