// What a sweep finds, and what it passes over.
#include "sweeps.hpp"

#include <algorithm>
#include <iterator>

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

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
    options.limits.storage_bytes = 1;
    EXPECT_EQ(of(run(kernels), kernels[0]).status, db::Status::ok) << "there is no other baseline";
}

TEST_F(Sweep, SkipsWhatCannotWinAndSaysSo) {
    device.bandwidth_curve = {{1, 1.0}};  // 1 GB/s and a margin of 15 %: 1000 bytes take 0.87 us
    const Kernels kernels = {fake::kernel(fake::right, 40, 10'000),
                             fake::kernel(fake::right, 10, 10'001),
                             fake::kernel(fake::right, 5, 1'000'000)};
    const SweepResult r = run(kernels);
    EXPECT_EQ(of(r, kernels[2]).status, db::Status::bounded);
    EXPECT_NE(of(r, kernels[2]).reason.find("1000032 bytes"), std::string::npos);
    EXPECT_NE(of(r, kernels[2]).reason.find(", against 10.0 µs: has to read "), std::string::npos)
        << of(r, kernels[2]).reason;
    EXPECT_FALSE(of(r, kernels[2]).time.has_value());
    EXPECT_EQ(r.entry.winner, kernels[1].variant.id());
    EXPECT_EQ(fake::conversions, 3 + 3);  // three of each, for the median; none of the third
}

TEST_F(Sweep, TheVendorIsMeasuredWhateverItMoves) {
    device.bandwidth_curve = {{1, 1.0}};
    Kernels kernels = {fake::kernel(fake::right, 40)};
    // Hopeless ones, the first of which answers for no other.
    for (const int bytes : {1'000'000, 1'000'001})
        kernels.push_back(fake::kernel(fake::right, 50'000, bytes)),
            kernels.back().variant.vendor = true;
    const SweepResult r = run(kernels);
    for (const Kernel& k : kernels) EXPECT_EQ(of(r, k).status, db::Status::ok) << of(r, k).reason;
}

TEST_F(Sweep, NothingIsReadFromAFlushedCache) {
    device.bandwidth_curve = {{1, 100.0}, {1 << 20, 1.0}};
    options.timer = &timer;
    const Kernels kernels = {fake::kernel(fake::right, 40), fake::kernel(fake::right, 30, 100'000)};
    EXPECT_EQ(of(run(kernels), kernels[1]).status, db::Status::ok);
    options.cache = Cache::cold;
    EXPECT_EQ(of(run(kernels), kernels[1]).status, db::Status::bounded);
}

TEST_F(Sweep, WhatTurnedOutTooLargeIsNotConvertedAgain) {
    device.bandwidth_curve = {{1, 1.0}};
    static int conversions;
    conversions = 0;
    Kernels kernels = {fake::kernel(fake::right, 40), fake::kernel(fake::right, 5, 1'000'000)};
    kernels[1].inspect = [](CsrView<double>, const Features&, const Params&) {
        Footprint f;  // a lower bound, and far off
        f.storage_bytes = f.moved_bytes = 10;
        return f;
    };
    kernels[1].convert = [](CsrView<double> of, const Params& p, int threads) {
        ++conversions;
        return fake::kernel(fake::right, 5).convert(of, p, threads);
    };
    const SweepResult first = run(kernels);
    EXPECT_EQ(of(first, kernels[1]).status, db::Status::bounded);
    EXPECT_GT(conversions, 0);
    options.resume = &first.entry;
    conversions = 0;
    EXPECT_EQ(of(run(kernels), kernels[1]).status, db::Status::bounded);
    EXPECT_EQ(conversions, 0);
}

TEST_F(Sweep, ShortTimesOfAGpuFromBeforeLaunchesCountedAreTakenAgain) {
    const Kernels kernels = {fake::kernel(fake::right, 40), fake::kernel(fake::right, 20, 500)};
    options.timer = &timer;
    SweepResult first = run(kernels);
    first.entry.device.backend = "cuda";
    options.resume = &first.entry;
    options.budget_s = 1e-9;  // enough for what is known
    EXPECT_EQ(of(run(kernels), kernels[1]).status, db::Status::not_reached);
    first.entry.device.host_launch_us = 3;
    EXPECT_EQ(of(run(kernels), kernels[1]).status, db::Status::ok);
}

TEST_F(Sweep, TimesOfAnotherProcessWaitForThisOnesLaunches) {
    const Kernels kernels = {fake::kernel(fake::right, 60), fake::kernel(fake::right, 40, 500),
                             fake::kernel(fake::right, 20, 500)};
    options.timer = &timer;
    timer.share = 1, timer.launches = 2;
    const SweepResult first = run(kernels);
    EXPECT_EQ(of(first, kernels[2]).time->median, 20);
    options.resume = &first.entry;
    options.budget_s = 1e-9;
    device.host_launch_us = 15, device.early_gap_us = 0.5;
    const SweepResult second = run(kernels);
    EXPECT_NEAR(of(second, kernels[1]).time->median, 41, 1e-9) << "two gaps";
    EXPECT_NEAR(of(second, kernels[2]).time->median, 30, 1e-9) << "two launches";
    EXPECT_EQ(of(second, kernels[2]).device_us, 20);
}

TEST_F(Sweep, ABandwidthMeasuredTooLowIsCorrected) {
    // The baseline itself reads 100000 bytes in 10 us, ten times what was measured: 150000 bytes in
    // 12 us are then possible, although 1.15 GB/s would deny it.
    device.bandwidth_curve = {{1, 1.0}};
    const Kernels kernels = {fake::kernel(fake::right, 10, 100'000),
                             fake::kernel(fake::right, 9, 89'000)};
    EXPECT_EQ(run(kernels).entry.winner, kernels[1].variant.id());
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

TEST_F(Sweep, GlobKeepsTheBaseline) {
    const Kernels kernels = {fake::kernel(fake::right, 40), fake::kernel(fake::right, 10),
                             fake::kernel(fake::right, 20)};
    options.variants = kernels[2].variant.id();
    const SweepResult r = run(kernels);
    EXPECT_EQ(r.entry.candidates.size(), 2u);
    EXPECT_EQ(r.entry.winner, kernels[2].variant.id());
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
    EXPECT_LE(fake::most_bytes, 3000u);
}

TEST_F(Sweep, WhatCannotBeConvertedOnceMoreDropsOut) {
    // Taking turns asks for that where memory is short. Fewer than usual are left for the final.
    static int made[200];
    std::fill(std::begin(made), std::end(made), 0);
    Kernels kernels = {fake::kernel(fake::right, 190, 1)};
    for (int t = 100; t < 108; ++t) {
        kernels.push_back(fake::kernel(fake::right, t, 1000, 3000));
        kernels.back().convert = [](CsrView<double> of, const Params& p, int threads) {
            const int us = get(p, "t");
            if (made[us]++ > 0 && us < 104) throw OutOfMemory("a fake", 1);
            return fake::kernel(fake::right, us).convert(of, p, threads);
        };
    }
    options.limits.storage_bytes = 3000;
    options.timer = &timer;
    const SweepResult r = run(kernels);
    for (std::size_t i = 1; i <= 4; ++i)
        EXPECT_EQ(of(r, kernels[i]).status, db::Status::out_of_memory) << i;
    EXPECT_EQ(r.entry.winner, kernels[5].variant.id());
}

TEST_F(Sweep, EmptyMatrix) {
    a = Csr<double>{0, 0, Buffer<int>(1, 0), {}, {}};
    const SweepResult r = run({fake::kernel(fake::right, 2), fake::kernel(fake::right, 1)});
    EXPECT_TRUE(r.entry.complete);
    EXPECT_DOUBLE_EQ(r.entry.speedup_vs_baseline, 2);
}

}  // namespace
}  // namespace sptune::tuner
