// Who stays in a sweep how long, whatever else the machine does.
#include "sweeps.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

TEST_F(Sweep, SlowCandidatesCostAFewCalls) {
    const Kernels kernels = {fake::kernel(fake::right, 1000), fake::kernel(fake::right, 100'000)};
    const double start = fake::now_us;
    const SweepResult r = run(kernels);
    EXPECT_EQ(of(r, kernels[1]).time->samples.size(), 1u);
    EXPECT_LT(fake::now_us - start, 2 * 100'000 + 1000 * 400);
}

TEST_F(Sweep, AHopelessCandidateAnswersForOthersOfItsKind) {
    // They differ in b alone, which is taken for the size of blocks.
    const Kernels kernels = {fake::kernel(fake::right, 1000), fake::kernel(fake::right, 900),
                             fake::kernel(fake::right, 50'000, 1001),
                             fake::kernel(fake::right, 50'000, 1002),
                             fake::kernel(fake::right, 60'000, 1001)};
    const SweepResult r = run(kernels);
    const auto skipped = [&](int i) {
        return of(r, kernels[static_cast<std::size_t>(i)]).status == db::Status::bounded;
    };
    EXPECT_EQ(skipped(2) + skipped(3), 1);
    EXPECT_FALSE(skipped(4));
    const db::Candidate& left_out = of(r, kernels[skipped(2) ? 2 : 3]);
    EXPECT_NE(left_out.reason.find("times as long as the best, " + kernels[1].variant.id()),
              std::string::npos)
        << left_out.reason;
}

TEST_F(Sweep, ManyCandidatesOfLongCallsAreHalved) {
    Kernels kernels = {fake::kernel(fake::right, 300'000), fake::kernel(fake::right, 250'000)};
    for (int t = 119; t >= 100; --t) kernels.push_back(fake::kernel(fake::right, 1000 * t));
    const SweepResult r = run(kernels);
    EXPECT_EQ(r.entry.winner, kernels.back().variant.id());
    const auto left_in = [&](const std::string& stage) {
        return std::count_if(r.entry.candidates.begin(), r.entry.candidates.end(),
                             [&](const db::Candidate& c) { return c.reason == stage; });
    };
    EXPECT_EQ(left_in("short run"), 4);  // one of the two slow ones was not worth even that
    EXPECT_EQ(left_in("halving 1"), 8);
    EXPECT_EQ(left_in("halving 2"), 2);
    EXPECT_EQ(left_in("final"), 6 + 1);  // and the baseline
}

TEST_F(Sweep, ManyCandidatesOfShortCallsTakeTurns) {
    Kernels kernels = {fake::kernel(fake::right, 300), fake::kernel(fake::right, 350)};
    for (int t = 119; t >= 100; --t) kernels.push_back(fake::kernel(fake::right, t));
    const SweepResult r = run(kernels);
    EXPECT_EQ(r.entry.winner, kernels.back().variant.id());
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const db::Candidate& c = of(r, kernels[i]);
        EXPECT_EQ(c.reason, i == 1 ? "short run" : "second look") << i;  // over thrice the best
        if (i != 1) {
            EXPECT_EQ(c.time->samples.size(), 2u * 32);
        }
    }
}

TEST_F(Sweep, AFewBadMomentsDisqualifyNobody) {
    // Calls so long that the second look has two rounds.
    Kernels kernels = {fake::kernel(fake::right, 30'000), fake::kernel(fake::seldom_right, 9000)};
    for (int t = 119; t >= 100; --t) kernels.push_back(fake::kernel(fake::right, 100 * t));
    const SweepResult r = run(kernels);
    const std::string& stage = of(r, kernels[1]).reason;
    EXPECT_TRUE(stage.starts_with("halving") || stage == "final") << stage;
    EXPECT_EQ(r.entry.winner, kernels.back().variant.id());
}

TEST_F(Sweep, RoundsOfABusyMachineDoNotCount) {
    Kernels kernels;
    for (int t = 109; t >= 100; --t) kernels.push_back(fake::kernel(fake::right, t));
    // From some round of the second look on; a round then takes 150 ms.
    fake::busy_from = fake::now_us + 60'000, fake::busy_to = fake::now_us + 2'600'000;
    const SweepResult r = run(kernels);
    const db::Candidate& best = of(r, kernels.back());
    EXPECT_EQ(best.reason, "second look");
    EXPECT_EQ(r.entry.winner, best.id);
    EXPECT_GE(fake::now_us, fake::busy_to);
    EXPECT_LE(best.time->samples.size(), 32u) << "half of the 32 rounds or more were lost";
    EXPECT_GE(best.time->samples.size(), 2u * 3);
    EXPECT_NEAR(best.time->median, 100, 1e-6);
}

TEST_F(Sweep, AHiccupDisqualifiesNobody) {
    for (const fake::Kind kind : {fake::slow_start, fake::held_up, fake::late}) {
        const Kernels kernels = {fake::kernel(fake::right, 40), fake::kernel(fake::right, 12, 500),
                                 fake::kernel(kind, 10)};  // after the lighter one
        EXPECT_EQ(run(kernels).entry.winner, kernels[2].variant.id()) << kind;
    }
}

TEST_F(Sweep, AHiccupDisqualifiesNobodyOnADevice) {
    options.timer = &timer;
    for (const fake::Kind kind : {fake::slow_start, fake::held_up, fake::late}) {
        fake::late_calls = 0;
        const Kernels kernels = {fake::kernel(fake::right, 40), fake::kernel(fake::right, 12, 500),
                                 fake::kernel(kind, 10)};
        EXPECT_EQ(run(kernels).entry.winner, kernels[2].variant.id()) << kind;
    }
}

TEST_F(Sweep, WhatADeviceTakesWithoutLaunchesIsStoredBeside) {
    const Kernels kernels = {fake::kernel(fake::right, 40), fake::kernel(fake::right, 12, 500)};
    options.timer = &timer;
    const SweepResult before = run(kernels);
    EXPECT_FALSE(of(before, kernels[0]).device_us);
    EXPECT_FALSE(of(before, kernels[0]).launches);
    timer.share = 0.25, timer.launches = 2;
    const SweepResult r = run(kernels);
    for (const Kernel& k : kernels) {
        ASSERT_TRUE(of(r, k).device_us && of(r, k).launches);
        EXPECT_NEAR(*of(r, k).device_us, 0.25 * of(r, k).time->min, 1e-9);
        EXPECT_EQ(of(r, k).launches, 2);
    }
}

/// A stretch of work of others while the baseline, which comes first, is measured.
TEST_F(Sweep, ADisturbedBaselineIsMeasuredAgain) {
    for (Timer* of_device : {static_cast<Timer*>(nullptr), static_cast<Timer*>(&timer)})
        for (double busy_us = 5000; busy_us < 46'000; busy_us += 3000) {
            options.timer = of_device;
            const Kernels kernels = {fake::kernel(fake::right, 80), fake::kernel(fake::right, 20)};
            fake::busy_from = fake::now_us, fake::busy_to = fake::now_us + busy_us;
            EXPECT_NEAR(run(kernels).entry.speedup_vs_baseline, 4, 1e-6) << busy_us;
        }
}

TEST_F(Sweep, ADisturbedBaselineOfTheSecondLookIsMeasuredAgain) {
    Kernels kernels = {fake::kernel(fake::seldom_right, 150)};
    for (int t = 109; t >= 100; --t) kernels.push_back(fake::kernel(fake::right, t));
    const SweepResult r = run(kernels);
    EXPECT_EQ(of(r, kernels[0]).reason, "final");
    EXPECT_EQ(r.entry.winner, kernels.back().variant.id());
}

TEST_F(Sweep, ABaselineThatIsSlowIndeedDoesNotTakeTurns) {
    const Kernels kernels = {fake::kernel(fake::right, 1'000'000), fake::kernel(fake::right, 1000)};
    const double start = fake::now_us;
    const SweepResult r = run(kernels);
    EXPECT_NEAR(r.entry.speedup_vs_baseline, 1000, 1e-3);
    EXPECT_EQ(of(r, kernels[0]).reason, "short run");
    EXPECT_LT(fake::now_us - start, 12e6);  // ten calls of it
}

TEST_F(Sweep, TheVendorTakesTurnsWithTheBest) {
    for (const int scale : {1, 10'000}) {
        Kernels kernels = {fake::kernel(fake::right, 50 * scale)};
        for (int t = 10; t < 20; ++t) kernels.push_back(fake::kernel(fake::right, t * scale));
        kernels.push_back(fake::kernel(fake::right, 45 * scale));
        kernels.back().variant.vendor = true;
        kernels.back().variant.algorithm = "vendor";
        EXPECT_EQ(of(run(kernels), kernels.back()).reason, scale == 1 ? "second look" : "final");
    }
}

TEST_F(Sweep, TheFinalAloneDecides) {
    // While it lasts the machine is slower: who had lost before looks faster than it is.
    options.timer = &timer;
    Kernels kernels = {fake::kernel(fake::right, 3000)};
    for (int t = 119; t >= 100; --t) kernels.push_back(fake::kernel(fake::right, 10 * t));
    options.progress = [](const Progress& p) {
        if (p.stage == "final") fake::busy_from = fake::now_us, fake::busy_to = 1e300;
    };
    const SweepResult r = run(kernels);
    ASSERT_LT(of(r, kernels[1]).time->median, of(r, kernels.back()).time->median);
    EXPECT_EQ(r.entry.winner, kernels.back().variant.id());
}

TEST_F(Sweep, TheGuestIsInTheFinal) {
    Kernels kernels = {fake::kernel(fake::right, 50)};
    for (int t = 10; t < 20; ++t) kernels.push_back(fake::kernel(fake::right, t));
    kernels.push_back(fake::kernel(fake::right, 48));
    options.variants = kernels[1].variant.id();
    options.guest = kernels.back().variant.id();
    const SweepResult r = run(kernels);
    EXPECT_EQ(of(r, kernels.back()).reason, "final");
    EXPECT_EQ(r.entry.winner, kernels[1].variant.id());
    EXPECT_EQ(r.used_cols, 4u);

    options.guest = "spmv.cpu.unheard.of";
    EXPECT_EQ(run(kernels).entry.winner, kernels[1].variant.id());
}

}  // namespace
}  // namespace sptune::tuner
