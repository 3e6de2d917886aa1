// Sweeps beside other programs, which keep cores from the sweep's threads.
#include "sweeps.hpp"
#include "tuner/core_watch.hpp"

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

/// On one of the threads.
Kernel alone(int call_us, int bytes) {
    Kernel k = fake::kernel(fake::right, call_us, bytes);
    k.variant.params.push_back({"w", 1});
    return k;
}

/// Sees none of it.
class Blind : public CoreWatch {
    using CoreWatch::CoreWatch;
    bool late() const override { return false; }
};

class SweepBeside : public Sweep {
  protected:
    Blind cores_{2};
    void SetUp() override { options.cores = &cores_; }
};

TEST_F(SweepBeside, CallsThatWaitedForACoreAreMadeAgain) {
    // The last two differ in b alone: a hopeless one would answer for the other.
    const Kernels kernels = {fake::kernel(fake::right, 60), fake::kernel(fake::right, 50),
                             fake::kernel(fake::waited, 40, 1001),
                             fake::kernel(fake::waited, 40, 1002)};
    const SweepResult r = run(kernels);
    for (const std::size_t i : {2, 3}) {
        EXPECT_EQ(of(r, kernels[i]).status, db::Status::ok) << of(r, kernels[i]).reason;
        EXPECT_GT(of(r, kernels[i]).time->samples.size(), 1u);
    }
    EXPECT_FALSE(r.cores_busy);
    EXPECT_FALSE(r.entry.provenance.cores_busy);
}

TEST_F(SweepBeside, PlainCsrThatIsFarSlowerThanOnOneThreadTellsOfBusyCores) {
    const auto pair = [](int all_us) {
        Kernels kernels(2, fake::kernel(fake::third_alone, all_us));
        kernels[0].variant.params.push_back({"w", kAll});
        kernels[1].variant.params.push_back({"w", 1});
        kernels[1].variant.layout = "alone";
        return kernels;
    };
    device.threads = 2;
    EXPECT_TRUE(run(pair(900)).entry.provenance.cores_busy.value_or(false));
    EXPECT_FALSE(run(pair(500)).entry.provenance.cores_busy) << "threads may take a while to start";
    device.threads = 1;
    EXPECT_FALSE(run(pair(900)).entry.provenance.cores_busy);
}

TEST_F(SweepBeside, WhatWasGivenUpWhileCoresWereBusyHasAnotherTurn) {
    constexpr int kSlow = 10'000'000;
    const Kernels kernels = {fake::kernel(fake::right, 1000), fake::kernel(fake::right, 500),
                             fake::kernel(fake::right, kSlow)};
    SweepResult first = run(kernels);
    ASSERT_EQ(of(first, kernels[2]).time->samples.size(), 1u);
    options.resume = &first.entry;
    double start = fake::now_us;
    run(kernels);
    EXPECT_LT(fake::now_us - start, kSlow);
    first.entry.provenance.cores_busy = true;
    start = fake::now_us;
    const SweepResult second = run(kernels);
    EXPECT_GT(fake::now_us - start, kSlow);
    EXPECT_TRUE(second.entry.provenance.cores_busy.value_or(false)) << "other times are of then";
}

TEST_F(SweepBeside, RoundsInWhichManyThreadsWereHeldUpDoNotCount) {
    Kernels kernels;
    for (int i = 0; i < 4; ++i) kernels.push_back(fake::kernel(fake::crew, 100 + i, 1000 + i));
    for (int i = 0; i < 12; ++i) kernels.push_back(alone(110 + i, 1100 + i));
    fake::busy_kind = fake::crew;
    // From some round of the second look on; a round then takes 60 ms.
    fake::busy_from = fake::now_us + 80'000, fake::busy_to = fake::now_us + 1'400'000;
    const SweepResult r = run(kernels);
    EXPECT_EQ(of(r, kernels[0]).reason, "second look");
    EXPECT_EQ(r.entry.winner, kernels[0].variant.id());
    EXPECT_NEAR(of(r, kernels[0]).time->median, 100, 1);
}

}  // namespace
}  // namespace sptune::tuner
