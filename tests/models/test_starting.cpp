#include "models/choosing.hpp"
#include "models/holding.hpp"
#include "models/sample_file.hpp"
#include "models/starting.hpp"
#include "models/tree_model.hpp"
#include "tests/db/scratch.hpp"
#include "tests/models/entries.hpp"

#include <gtest/gtest.h>

namespace sptune::models {
namespace {

/// Ten kernels with one thread and with two, that need `work_us` of one thread together.
Sample sweep(double work_us, double start_us) {
    Sample s;
    const auto rows = static_cast<std::int64_t>(100 * work_us);
    s.name = "made--" + std::to_string(rows), s.group = "made";
    s.features = even_rows(rows, 5), s.device = cpu(2);
    s.timed = {
        {variant(Backend::cpu, "csr", "static", {{"x", 32}, {"w", kAll}}), work_us + start_us}};
    for (int c = 1; c <= 10; ++c)
        for (const int w : {1, kAll}) {
            const double one = work_us * (1 + 0.01 * c);
            s.timed.push_back({variant(Backend::cpu, "sell", "simd", {{"c", c}, {"w", w}}),
                               w == 1 ? one : one / 2 + start_us});
        }
    return s;
}

TEST(Starting, IsToldFromPairsOfSmallMatrices) {
    EXPECT_NEAR(start_us_of(sweep(2, 0.6)), 0.6, 1e-9);
    EXPECT_NEAR(start_us_of(sweep(2, 1.6)), 1.6, 1e-9);
    EXPECT_EQ(start_us_of(sweep(100, 1.6)), 0) << "cannot be seen beside so much work";
    Sample few = sweep(2, 0.6);
    few.timed.resize(9);
    EXPECT_EQ(start_us_of(few), 0);
    Sample alone = sweep(2, 0.6);
    alone.device.threads = 1;
    EXPECT_EQ(start_us_of(alone), 0);
}

TEST(Starting, OfLargeMatricesIsThatOfOthersOnTheDevice) {
    std::vector<Sample> samples{sweep(2, 0.6), sweep(3, 1.4), sweep(4, 1.6), sweep(100, 1.5),
                                sweep(100, 1.5)};
    samples.back().device.key = "other";
    tell_starts(samples);
    EXPECT_NEAR(samples[0].device.launch_us, 0.6, 1e-9);
    EXPECT_NEAR(samples[3].device.launch_us, 1.4, 1e-9);
    EXPECT_EQ(samples[4].device.launch_us, 0);
    std::vector<Sample> gpus{sweep(2, 0.6)};
    gpus[0].device = gpu();
    tell_starts(gpus);
    EXPECT_EQ(gpus[0].device.launch_us, gpu().launch_us);
}

TEST(Starting, IsUsualWhereNothingIsKnownOfIt) {
    db::Device device = cpu();
    EXPECT_EQ(start_or_usual_us(device), 1);
    device.launch_us = 2.5;
    EXPECT_EQ(start_or_usual_us(device), 2.5);
    EXPECT_EQ(start_or_usual_us(gpu()), 1) << "a kernel of a GPU starts no threads of a CPU";
}

TEST(Starting, LongerOrShorterChangesWhatAllThreadsTakeAlone) {
    Sample s = sweep(2, 1.6);
    EXPECT_FALSE(at_other_start(s, 2)) << "not known";
    s.device.launch_us = 1.6;
    const auto late = at_other_start(s, 2), soon = at_other_start(s, 0.5);
    ASSERT_TRUE(late && soon);
    EXPECT_NEAR(late->device.launch_us, 3.2, 1e-9);
    EXPECT_NEAR(late->timed[0].us, s.timed[0].us + 1.6, 1e-9);
    EXPECT_NEAR(soon->timed[0].us, s.timed[0].us - 0.8, 1e-9);
    EXPECT_EQ(late->timed[1].us, s.timed[1].us) << "one thread";
    s.device.launch_us = 100;
    EXPECT_GT(at_other_start(s, 0.4)->timed[0].us, 0);
    Sample large = sweep(100, 1.6);
    large.device.launch_us = 1.6;
    EXPECT_FALSE(at_other_start(large, 2)) << "what difference would it make?";
}

TEST(Starting, WhatWasNotMeasuredStaysSlowerThanWhatWas) {
    Sample s = sweep(2, 1.6);
    s.device.launch_us = 1.6;
    s.timed[1].bounded = true;  // one thread
    s.timed[2].bounded = true;  // all of them
    for (const double factor : {0.4, 2.5}) {
        const auto other = at_other_start(s, factor);
        double least = 1e9;
        for (const Timed& t : other->timed)
            if (!t.bounded) least = std::min(least, t.us);
        for (const Timed& t : other->timed) {
            if (!t.bounded) continue;
            EXPECT_GE(t.us, 1.2 * least) << factor;
        }
    }
}

TEST(Starting, IsNotStoredWithSweeps) {
    const db::Scratch scratch;
    std::vector<Sample> samples{sweep(2, 0.6)};
    tell_starts(samples);
    write_samples(scratch / "s.spts", samples);
    EXPECT_EQ(read_packed_samples(scratch / "s.spts")[0].device.launch_us, 0);
}

TEST(Trees, TakeOneThreadWhereStartingAllTakesLongAtPresent) {
    std::vector<Sample> samples;
    for (int i = 0; i < 400; ++i) samples.push_back(sweep(0.5 + 0.02 * i, i % 2 ? 0.6 : 1.6));
    tell_starts(samples);
    std::vector<const Sample*> all;
    for (const Sample& s : samples) all.push_back(&s);
    TreeOptions options;
    options.folds = 0;
    options.weights = {{"*", 3}};
    const TreeModel model = TreeModel::train(all, options);
    const auto threads_for = [&](double work_us, double start_us) {
        Sample s = sweep(work_us, start_us);
        s.device.launch_us = start_us;
        return param_or(chosen_by(model, s, 0).variant.params, "w", kAll);
    };
    EXPECT_EQ(threads_for(2.23, 0.6), kAll) << "1.7 instead of 2.2 us";
    EXPECT_EQ(threads_for(2.23, 1.6), 1) << "2.7 instead of 2.2 us";
    EXPECT_EQ(threads_for(0.63, 0.6), 1);
    EXPECT_EQ(threads_for(6.3, 1.6), kAll);
}

}  // namespace
}  // namespace sptune::models
