#include "fake.hpp"
#include "tuner/core_watch.hpp"
#include "tuner/measure.hpp"

#include <algorithm>
#include <atomic>

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

/// A call of `us` on the fake clock, counted.
struct Call {
    double us;
    int count = 0;
    void operator()() { fake::now_us += us, ++count; }
};

MeasureOptions on_fake_clock() {
    MeasureOptions o;
    o.clock = fake::clock;
    return o;
}

TEST(Measure, BatchesShortCalls) {
    Call call{0.5};
    const Timing t = measure(std::ref(call), on_fake_clock());
    EXPECT_GE(t.calls_per_sample, 200);
    EXPECT_LE(t.calls_per_sample, 500);
    EXPECT_NEAR(t.statistics().median, 0.5, 1e-6);
    EXPECT_EQ(t.samples_us.size(), 5u);  // a constant time is known at once
}

TEST(Measure, DoesNotBatchLongCallsAndDiscardsTheWarmUp) {
    Call call{5000};
    const Timing t = measure(std::ref(call), on_fake_clock());
    EXPECT_EQ(t.calls_per_sample, 1);
    EXPECT_EQ(call.count, 3 + 5);
}

TEST(Measure, AHiccupDuringCalibrationDoesNotPassForALongCall) {
    int count = 0;
    const auto call = [&] { fake::now_us += ++count == 4 ? 10'000 : 1; };
    EXPECT_GE(measure(call, on_fake_clock()).calls_per_sample, 100);
}

/// Threads start late so many times that it is asked.
struct LateFor final : CoreWatch {
    explicit LateFor(int times, int threads = 2, double budget_s = 0,
                     const std::atomic<bool>* stop = nullptr)
        : CoreWatch(threads, budget_s, stop), left(times) {}
    bool late() const override { return left-- > 0; }
    double wait() const override { return 1e6; }
    mutable int left;
};

TEST(Measure, TakesTimesAgainThatACoreHasSpoiled) {
    LateFor cores(4);
    int count = 0;
    const auto call = [&] { fake::now_us += ++count <= 2 ? 8'000 : 20; };
    MeasureOptions o = on_fake_clock();
    o.cores = &cores;
    const Timing t = measure(call, o);
    EXPECT_NEAR(*std::max_element(t.samples_us.begin(), t.samples_us.end()), 20, 1e-6);
    EXPECT_EQ(cores.repeated(), 1);
    EXPECT_FALSE(cores.busy());
}

TEST(Measure, DoesNotWaitForACoreForEver) {
    LateFor cores(1000);
    Call call{8'000};
    MeasureOptions o = on_fake_clock();
    o.cores = &cores;
    EXPECT_NEAR(measure(std::ref(call), o).statistics().median, 8'000, 1e-6);
    EXPECT_EQ(cores.repeated(), 1);
    EXPECT_TRUE(cores.busy());
    EXPECT_EQ(cores.left, 1000 - 10);
    // What is made again takes its patience, too.
    LateFor long_batches(1000);
    EXPECT_TRUE(long_batches.spoiled(9.5e6));
    EXPECT_TRUE(long_batches.busy());
    EXPECT_EQ(long_batches.left, 999);
}

TEST(Measure, WaitingForACoreEndsWithTheBudgetOrTheUser) {
    LateFor cores(1000, 2, 8);
    EXPECT_TRUE(cores.spoiled(8'000));
    EXPECT_TRUE(cores.busy());
    EXPECT_EQ(cores.left, 1000 - 2);
    const std::atomic<bool> stop{true};
    LateFor stopped(1000, 2, 0, &stop);
    EXPECT_FALSE(stopped.spoiled(8'000));
    EXPECT_EQ(stopped.left, 999);
}

TEST(Measure, ACoreIsAskedOfLongBatchesOfSeveralThreadsAlone) {
    LateFor cores(1000), alone(1000, 1);
    EXPECT_FALSE(cores.spoiled(1'000));
    EXPECT_FALSE(alone.spoiled(8'000));
    EXPECT_EQ(cores.left + alone.left, 2000);
    EXPECT_TRUE(cores.spoiled(8'000));
}

TEST(Measure, CoresThatDoNothingElseAreInTime) {
    // Perhaps not at once on a busy machine, but not never.
    bool in_time = false;
    for (int i = 0; i < 3 && !in_time; ++i) {
        CoreWatch cores(2);
        cores.spoiled(1e5);
        in_time = !cores.busy();
    }
    EXPECT_TRUE(in_time);
}

TEST(Measure, SamplesUntilTheMedianIsKnown) {
    int count = 0;
    const auto noisy = [&] { fake::now_us += 1000 + 200 * (++count % 2); };  // ±9 %
    MeasureOptions o = on_fake_clock();
    o.budget_us = 1e9;
    const Timing many = measure(noisy, o);
    EXPECT_EQ(many.samples_us.size(), 200u);  // two equal clusters: 1 % is out of reach
    o.noise = 0.2;
    EXPECT_EQ(measure(noisy, o).samples_us.size(), 5u);
}

TEST(Measure, StopsAtTheBudgetButTakesASample) {
    Call call{1e6};
    MeasureOptions o = on_fake_clock();
    o.budget_us = 10;
    EXPECT_EQ(measure(std::ref(call), o).samples_us.size(), 1u);
}

TEST(Measure, GivesUpOnTheSlow) {
    Call call{5000};
    MeasureOptions o = on_fake_clock();
    o.give_up_us = 1000;
    const Timing t = measure(std::ref(call), o);
    EXPECT_TRUE(t.gave_up);
    EXPECT_EQ(t.samples_us.size(), 3u);
    o.give_up_us = 4000;  // within the factor of 1.5
    EXPECT_FALSE(measure(std::ref(call), o).gave_up);
}

TEST(Measure, AHopelessCallIsLookedAtOnce) {
    Call call{5000};
    MeasureOptions o = on_fake_clock();
    o.give_up_us = 100;
    const Timing t = measure(std::ref(call), o);
    EXPECT_TRUE(t.gave_up);
    EXPECT_EQ(t.samples_us.size(), 1u);
    EXPECT_EQ(call.count, 1 + 1);
}

TEST(Measure, ADisturbedSampleIsNotHopelessWhereTheWarmUpWasNot) {
    int count = 0;
    const auto call = [&] { fake::now_us += ++count == 3 ? 50'000 : 1000; };
    MeasureOptions o = on_fake_clock();
    o.warm_up = 1, o.give_up_us = 900;
    const Timing t = measure(call, o);
    EXPECT_FALSE(t.gave_up);
    EXPECT_DOUBLE_EQ(t.statistics().min, 1000);
}

TEST(Measure, StopsWhenTold) {
    const std::atomic<bool> stop = true;
    Call call{1};
    MeasureOptions o = on_fake_clock();
    o.stop = &stop;
    EXPECT_EQ(measure(std::ref(call), o).samples_us.size(), 1u);
}

TEST(Measure, NoCallBeginsBehindTheDeadlineButTheFirst) {
    Call call{1e6};
    MeasureOptions o = on_fake_clock();
    o.budget_us = 1e9;
    o.deadline_us = fake::now_us + 0.5e6;
    const Timing once = measure(std::ref(call), o);
    EXPECT_EQ(call.count, 1);
    EXPECT_EQ(once.samples_us, std::vector<double>{1e6});
    o.settling_calls = 16;
    measure(std::ref(call), o);
    EXPECT_EQ(call.count, 2);
    o.deadline_us = fake::now_us + 4.5e6;  // three that warm up, and two
    o.settling_calls = 0;
    EXPECT_EQ(measure(std::ref(call), o).samples_us.size(), 2u);
}

TEST(Measure, MoreSamplesAppendAfterADiscardedCall) {
    Call call{2000};
    Timing t;
    measure_more(std::ref(call), on_fake_clock(), 3, t);
    measure_more(std::ref(call), on_fake_clock(), 3, t);
    EXPECT_EQ(t.samples_us.size(), 6u);
    EXPECT_EQ(call.count, 8);
    const std::atomic<bool> stop{true};
    MeasureOptions o = on_fake_clock();
    o.stop = &stop;
    measure_more(std::ref(call), o, 3, t);
    EXPECT_EQ(t.samples_us.size(), 6u);
}

TEST(Measure, CallsThatGetFasterSettleFirst) {
    int count = 0;
    const auto call = [&] { fake::now_us += std::max(2000.0, 4400.0 - 400 * count++); };
    MeasureOptions o = on_fake_clock();
    Timing t;
    measure_more(call, o, 3, t);
    EXPECT_GT(t.samples_us.back(), 3000);
    o.settling_calls = 16;
    for (const bool more : {false, true}) {
        count = 0;
        t = {};
        if (more)
            measure_more(call, o, 3, t);
        else
            t = measure(call, o);
        EXPECT_EQ(t.statistics().min, 2000);
        EXPECT_EQ(t.samples_us.front(), 2000);
    }
    count = 100;
    Call steady{2000};
    t = {};
    measure_more(std::ref(steady), o, 2, t);
    EXPECT_EQ(steady.count, 5 + 2);
    Call never{20000};
    o.settling_calls = 8;
    t = {};
    measure_more([&] { never(), never.us *= 0.9; }, o, 2, t);
    EXPECT_EQ(never.count, 8 + 2);
}

TEST(Measure, RealClock) {
    const auto busy = [] {
        for (const double end = steady_us() + 300; steady_us() < end;) {
        }
    };
    const Statistics s = measure(busy, {}).statistics();
    EXPECT_GE(s.min, 300);
    EXPECT_LT(s.min, 600);  // wide: the machine may be busy
}

TEST(Measure, ColdCallsFindTheirDataGone) {
    std::vector<std::uint64_t> data(16 << 10, 1);  // 128 KiB: fits every second-level cache
    volatile std::uint64_t sink = 0;
    const auto read = [&] {
        for (std::size_t i = 0; i < data.size(); i += 8) sink = sink + data[i];
    };
    MeasureOptions o;
    o.max_samples = 15;
    const double warm = measure(read, o).statistics().min;
    o.cache = Cache::cold;
    const Timing cold = measure(read, o);
    EXPECT_EQ(cold.calls_per_sample, 1);
    EXPECT_GT(cold.statistics().median, 1.1 * warm);
}

}  // namespace
}  // namespace sptune::tuner
