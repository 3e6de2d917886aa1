#include "fake.hpp"
#include "tuner/shelf.hpp"
#include "tuner/sweep.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

using Kernel = SpmvKernel<double, std::int32_t>;
using Kernels = std::vector<Kernel>;

/// Of a device: nothing but the fake clock.
struct FakeTimer final : Timer {
    double per_call(const std::function<void()>& call, int calls, bool) override {
        const double start = fake::now_us;
        for (int i = 0; i < calls; ++i) call();
        return (fake::now_us - start) / calls;
    }
};

class Sweep : public ::testing::Test {
  protected:
    Sweep() {
        options.clock = fake::clock;
        options.limits.storage_factor = 1e9;
        options.limits.storage_bytes = 1 << 30;
        fake::conversions = fake::calls = fake::late_calls = 0;
        fake::busy_from = fake::busy_to = 0;
    }

    /// The first kernel is the baseline.
    SweepResult run(const Kernels& kernels) {
        return sweep_kernels(a.view(), features, kernels, kernels.front().variant.id(), device,
                             options);
    }
    static const db::Candidate& of(const SweepResult& r, const Kernel& k) {
        const db::Candidate* c = db::find(r.entry, k.variant.id());
        EXPECT_NE(c, nullptr);
        return *c;
    }

    Csr<double> a = fake::matrix();
    Features features;
    db::Device device;
    SweepOptions options;
    FakeTimer timer;  ///< of those that want one
};

TEST_F(Sweep, FindsTheFastest) {
    const Kernels kernels = {fake::kernel(fake::right, 40), fake::kernel(fake::right, 10),
                             fake::kernel(fake::right, 25)};
    const SweepResult r = run(kernels);
    EXPECT_EQ(r.ended, Ended::complete);
    EXPECT_TRUE(r.entry.complete);
    EXPECT_EQ(r.entry.winner, kernels[1].variant.id());
    EXPECT_NEAR(r.entry.speedup_vs_baseline, 4, 1e-9);
    EXPECT_DOUBLE_EQ(r.entry.break_even_calls, 2);  // 50 us to convert, 30 us saved each time
    const db::Candidate& c = of(r, kernels[1]);
    EXPECT_EQ(c.status, db::Status::ok);
    EXPECT_DOUBLE_EQ(c.time->median, 10);
    EXPECT_EQ(c.reason, "final");
    EXPECT_EQ(c.bytes, 1000u + 64);
    EXPECT_DOUBLE_EQ(c.convert_us, 50);
    EXPECT_DOUBLE_EQ(c.gflops, 20 / 10e3);
    EXPECT_DOUBLE_EQ(of(r, kernels[0]).convert_us, 0);  // the baseline's layout costs nothing
}

TEST_F(Sweep, WhatIsWrongNeverWins) {
    const Kernels kernels = {
        fake::kernel(fake::right, 40),       fake::kernel(fake::wrong_row, 1),
        fake::kernel(fake::writes_nan, 1),   fake::kernel(fake::leaves_rows, 1),
        fake::kernel(fake::ignores_beta, 1), fake::kernel(fake::too_large, 1),
        fake::kernel(fake::illegal, 1),      fake::kernel(fake::throws, 1),
        fake::kernel(fake::right, 20)};
    const SweepResult r = run(kernels);
    EXPECT_EQ(r.entry.winner, kernels[8].variant.id());
    EXPECT_TRUE(r.entry.complete);
    for (int i = 1; i <= 4; ++i) EXPECT_EQ(r.entry.candidates[i].status, db::Status::incorrect);
    EXPECT_EQ(r.entry.candidates[5].status, db::Status::out_of_memory);
    EXPECT_EQ(r.entry.candidates[6].status, db::Status::illegal);
    EXPECT_EQ(r.entry.candidates[6].reason, "it is against the law");
    EXPECT_EQ(r.entry.candidates[7].status, db::Status::crashed);
    EXPECT_EQ(r.entry.candidates[7].reason, "a bug");
    for (int i = 1; i <= 7; ++i) EXPECT_FALSE(r.entry.candidates[i].time.has_value());
}

TEST_F(Sweep, LimitsNameTheBytes) {
    const Kernels kernels = {fake::kernel(fake::right, 40), fake::kernel(fake::right, 10, 5000)};
    options.limits.storage_factor = 4;
    const SweepResult r = run(kernels);
    EXPECT_EQ(of(r, kernels[1]).status, db::Status::illegal);
    EXPECT_NE(of(r, kernels[1]).reason.find("5000 bytes"), std::string::npos);
    options.limits = {.storage_factor = 1e9, .storage_bytes = 4999};
    EXPECT_EQ(of(run(kernels), kernels[1]).status, db::Status::illegal);
}

TEST_F(Sweep, SkipsWhatCannotWinAndSaysSo) {
    device.bandwidth_curve = {{1, 1.0}};  // 1 GB/s and a margin of 15 %: 1000 bytes take 0.87 us
    const Kernels kernels = {fake::kernel(fake::right, 40, 10'000),
                             fake::kernel(fake::right, 10, 10'001),
                             fake::kernel(fake::right, 5, 1'000'000)};
    const SweepResult r = run(kernels);
    EXPECT_EQ(of(r, kernels[2]).status, db::Status::bounded);
    EXPECT_NE(of(r, kernels[2]).reason.find("1000032 bytes"), std::string::npos);
    EXPECT_FALSE(of(r, kernels[2]).time.has_value());
    EXPECT_EQ(r.entry.winner, kernels[1].variant.id());
    EXPECT_EQ(fake::conversions, 3 + 3);  // three of each, for the median; none of the third
}

TEST_F(Sweep, ABandwidthMeasuredTooLowIsCorrected) {
    // The baseline itself reads 100000 bytes in 10 us, ten times what was measured: 150000 bytes in
    // 12 us are then possible, although 1.15 GB/s would deny it.
    device.bandwidth_curve = {{1, 1.0}};
    const Kernels kernels = {fake::kernel(fake::right, 10, 100'000),
                             fake::kernel(fake::right, 9, 89'000)};
    EXPECT_EQ(run(kernels).entry.winner, kernels[1].variant.id());
}

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
    EXPECT_NE(left_out.reason.find("times as long as the best"), std::string::npos);
}

TEST_F(Sweep, OneConversionPerLayout) {
    Kernels kernels = {fake::kernel(fake::right, 40), fake::kernel(fake::right, 10, 900, 5000),
                       fake::kernel(fake::right, 11, 900, 5000),
                       fake::kernel(fake::right, 12, 900, 5000)};
    for (std::size_t i = 1; i < 4; ++i) kernels[i].variant.layout = "shared";
    run(kernels);
    EXPECT_EQ(fake::conversions, 3 + 1);
}

TEST_F(Sweep, AFailedConversionIsNotTriedAgain) {
    Kernels kernels = {fake::kernel(fake::right, 40), fake::kernel(fake::too_large, 1),
                       fake::kernel(fake::too_large, 2)};
    kernels[1].variant.layout = kernels[2].variant.layout = "shared";
    const SweepResult r = run(kernels);
    EXPECT_EQ(of(r, kernels[2]).status, db::Status::out_of_memory);
    EXPECT_EQ(fake::conversions, 3 + 1);
}

TEST_F(Sweep, TiesGoToTheBaseline) {
    const Kernels kernels = {fake::kernel(fake::right, 100), fake::kernel(fake::right, 99),
                             fake::kernel(fake::right, 100, 1000, 10)};
    // 99 is clearly faster on a clock without noise.
    EXPECT_EQ(run(kernels).entry.winner, kernels[1].variant.id());
    EXPECT_EQ(run({kernels[0], kernels[2]}).entry.winner, kernels[0].variant.id());
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

TEST_F(Sweep, GlobKeepsTheBaseline) {
    const Kernels kernels = {fake::kernel(fake::right, 40), fake::kernel(fake::right, 10),
                             fake::kernel(fake::right, 20)};
    options.variants = kernels[2].variant.id();
    const SweepResult r = run(kernels);
    EXPECT_EQ(r.entry.candidates.size(), 2u);
    EXPECT_EQ(r.entry.winner, kernels[2].variant.id());
}

TEST_F(Sweep, TheBaselineIsMeasuredWhateverTheBudget) {
    const Kernels kernels = {fake::kernel(fake::right, 40), fake::kernel(fake::right, 10)};
    options.budget_s = 1e-9;
    const SweepResult r = run(kernels);
    EXPECT_EQ(r.ended, Ended::budget);
    EXPECT_FALSE(r.entry.complete);
    EXPECT_EQ(r.entry.winner, kernels[0].variant.id());
    EXPECT_EQ(of(r, kernels[1]).status, db::Status::not_reached);
}

TEST_F(Sweep, BudgetIsKeptAndTheFinalTakesPlace) {
    Kernels kernels = {fake::kernel(fake::right, 5000)};
    for (int i = 0; i < 50; ++i) kernels.push_back(fake::kernel(fake::right, 4000 + i, 1000, 9000));
    options.budget_s = 0.6;
    const double start = fake::now_us;
    const SweepResult r = run(kernels);
    EXPECT_EQ(r.ended, Ended::budget);
    EXPECT_LT(fake::now_us - start, 0.75e6);
    EXPECT_NE(r.entry.winner, kernels[0].variant.id());
    EXPECT_NE(r.entry.winner, "");
}

std::atomic<bool> interrupt;

TEST_F(Sweep, StopsWhenTold) {
    Kernels kernels;
    for (int i = 0; i < 20; ++i) kernels.push_back(fake::kernel(fake::right, 50'000 - i));
    interrupt = false;
    options.stop = &interrupt;
    options.progress = [](const Progress& p) {
        if (p.done >= 5) interrupt = true;
    };
    const SweepResult r = run(kernels);
    EXPECT_EQ(r.ended, Ended::interrupted);
    EXPECT_FALSE(r.entry.complete);
    EXPECT_NE(r.entry.winner, "");
    EXPECT_GE(std::count_if(r.entry.candidates.begin(), r.entry.candidates.end(),
                            [](const auto& c) { return c.status == db::Status::not_reached; }),
              10);

    const SweepResult none = run(kernels);  // stopped before it began
    EXPECT_EQ(none.ended, Ended::interrupted);
    EXPECT_EQ(none.entry.winner, "");
}

TEST_F(Sweep, ResumeMeasuresOnlyWhatIsNewOrChanged) {
    Kernels kernels = {fake::kernel(fake::right, 40), fake::kernel(fake::right, 10),
                       fake::kernel(fake::wrong_row, 1), fake::kernel(fake::right, 200)};
    SweepResult first = run(kernels);
    for (auto& c : first.entry.candidates) c.error = 0.5;  // a mark that measuring would erase
    options.resume = &first.entry;
    kernels[3].variant.kernel_hash = "h2";
    kernels.push_back(fake::kernel(fake::right, 5));
    const SweepResult second = run(kernels);
    EXPECT_EQ(of(second, kernels[1]).error, 0.5);
    EXPECT_EQ(of(second, kernels[2]).error, 0.5);
    EXPECT_EQ(of(second, kernels[2]).status, db::Status::incorrect);
    EXPECT_NE(of(second, kernels[3]).error, 0.5);
    EXPECT_EQ(second.entry.winner, kernels[4].variant.id());
    EXPECT_TRUE(second.entry.complete);

    first.entry.cache = "cold";  // other conditions: nothing counts
    EXPECT_NE(of(run(kernels), kernels[1]).error, 0.5);
}

TEST_F(Sweep, WhatIsKnownIsTakenOverHoweverEarlyTheStop) {
    const Kernels kernels = {fake::kernel(fake::right, 40), fake::kernel(fake::right, 10),
                             fake::kernel(fake::right, 30)};
    const SweepResult first = run(kernels);
    options.resume = &first.entry;
    const std::atomic<bool> at_once{true};
    options.stop = &at_once;
    for (const auto& c : run(kernels).entry.candidates) EXPECT_EQ(c.status, db::Status::ok);
}

TEST_F(Sweep, ProgressIsRareAndEndsNearTheEnd) {
    Kernels kernels;
    for (int i = 0; i < 40; ++i) kernels.push_back(fake::kernel(fake::right, 3000 + i));
    std::vector<double> times;
    options.progress = [&](const Progress& p) {
        times.push_back(fake::now_us);
        EXPECT_LE(p.done, p.total);
        EXPECT_GE(p.eta_s, 0);
    };
    run(kernels);
    ASSERT_GT(times.size(), 3u);
    for (std::size_t i = 1; i < times.size(); ++i) EXPECT_GE(times[i] - times[i - 1], 1e5);
}

TEST_F(Sweep, IsDeterministic) {
    Kernels kernels;
    for (int i = 0; i < 30; ++i)
        kernels.push_back(fake::kernel(fake::right, 100 + i % 3, 1000 + i));
    const SweepResult first = run(kernels), second = run(kernels);
    EXPECT_EQ(first.entry.winner, second.entry.winner);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        EXPECT_EQ(first.entry.candidates[i].id, kernels[i].variant.id());
        EXPECT_EQ(first.entry.candidates[i].reason, second.entry.candidates[i].reason);
    }
}

TEST_F(Sweep, LittleMemoryReconverts) {
    Kernels kernels = {fake::kernel(fake::right, 40, 1)};
    for (int i = 0; i < 8; ++i) kernels.push_back(fake::kernel(fake::right, 20 + i % 4, 1000 + i));
    options.limits.storage_bytes = 3000;  // one fits beside the one being made
    const SweepResult r = run(kernels);
    EXPECT_TRUE(r.entry.complete);
    EXPECT_DOUBLE_EQ(db::find(r.entry, r.entry.winner)->time->median, 20);
}

TEST_F(Sweep, EmptyMatrix) {
    a = Csr<double>{0, 0, Buffer<int>(1, 0), {}, {}};
    const SweepResult r = run({fake::kernel(fake::right, 2), fake::kernel(fake::right, 1)});
    EXPECT_TRUE(r.entry.complete);
    EXPECT_DOUBLE_EQ(r.entry.speedup_vs_baseline, 2);
}

TEST(ShelfTest, KeepsTheFirstThatFit) {
    Shelf shelf(100, fake::clock);
    const auto make = [] { return std::make_unique<fake::FakeStorage>(); };
    for (const char* layout : {"a", "b", "c"}) shelf.get(layout, 50, make);
    EXPECT_EQ(shelf.size(), 3u);
    shelf.trim({"c", "a", "b"});
    EXPECT_EQ(shelf.size(), 2u);
    shelf.trim({});
    EXPECT_EQ(shelf.size(), 0u);
}

}  // namespace
}  // namespace sptune::tuner
