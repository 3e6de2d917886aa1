// Plans on stored measurements, which may be wrong.
#include "tests/tuner/selections.hpp"
#include "tuner/plan.hpp"

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

class StoredPlans : public Select {
  protected:
    Buffer<double> x_{4, 1.5}, y_{4, 0.0};

    void SetUp() override {
        Select::SetUp();
        options_.clock = fake::clock;
        for (const auto& [call_us, convert_us] : {std::pair(300, 400), std::pair(40, 1000)}) {
            kernels_.push_back(kernel(fake::right, call_us, 1, convert_us));
            kernels_.back().variant.algorithm =
                std::string(1, static_cast<char>('a' + kernels_.size()));
        }
    }
    /// Stores that kernel i takes so long.
    void claim(std::size_t i, double call_us) {
        db::Entry e = entry(here());
        e.candidates[i].time->median = call_us;
        double least = 1e300;
        for (const db::Candidate& c : e.candidates)
            if (c.time->median < least) least = c.time->median, e.winner = c.id;
        store_.save(e);
    }
    /// What so many calls take, and which kernel is in use then.
    std::pair<double, std::string> live(int calls, Online online = Online::automatic) {
        PlanOptions options;
        options.select = options_;
        options.online = online;
        const KernelIndex<double, std::int32_t> index(kernels_, kernels_[0].variant.id());
        const double start = fake::now_us;
        Plan<double, std::int32_t> plan(choose_for(a_.view(), Backend::cpu, 1), index, options);
        EXPECT_EQ(plan.selection().source, Source::exact) << plan.why();
        for (int n = 0; n < calls; ++n) plan.apply(1, x_.data(), 0, y_.data());
        return {fake::now_us - start, plan.current()};
    }
};

TEST_F(StoredPlans, WhatIsTrueIsUsed) {
    claim(2, 40);
    for (const double expected : {0.0, 1000.0}) {
        options_.calls = expected;
        const auto [us, current] = live(1000);
        EXPECT_EQ(current, id(2));
        EXPECT_LE(us, 2 * (1000 + 1000 * 40));
    }
}

TEST_F(StoredPlans, AFalseEntryCostsAConversionAndSomeCalls) {
    claim(1, 1);
    for (const double expected : {0.0, 1000.0}) {
        options_.calls = expected;
        const auto [us, current] = live(1000);
        EXPECT_EQ(current, id(2)) << "what the same entry says of others is tried";
        EXPECT_LE(us, 0.6 * 1000 * 100);
        EXPECT_EQ(live(1000, Online::never).second, id(1)) << "whoever asks for it believes it";
    }
}

TEST_F(StoredPlans, WhatIsNotTheWholeTruthIsHeldAgainstOthers) {
    // The kernel that is said to be the fastest takes less than plain CSR, but not the least.
    kernels_.resize(1);
    for (const int call_us : {60, 90, 35}) {
        kernels_.push_back(kernel(fake::right, call_us, 1, 400));
        kernels_.back().variant.algorithm =
            std::string(1, static_cast<char>('a' + kernels_.size()));
    }
    enum Doubt { none, stopped, busy };
    for (const Doubt doubt : {none, stopped, busy}) {
        db::Entry e = entry(here());
        e.candidates[2].time->median = 40, e.winner = id(2);
        e.candidates.pop_back();  // had no turn
        e.complete = doubt != stopped;
        e.provenance.cores_busy = doubt == busy;
        store_.save(e);
        PlanOptions options;
        options.select = options_;
        options.may_wait = true;
        const KernelIndex<double, std::int32_t> index(kernels_, id(0));
        Plan<double, std::int32_t> plan(choose_for(a_.view(), Backend::cpu, 1), index, options);
        for (int n = 0; n < 1000; ++n) plan.apply(1, x_.data(), 0, y_.data());
        EXPECT_EQ(plan.current(), id(doubt == none ? 2 : doubt == busy ? 1 : 3)) << plan.why();
    }
}

TEST_F(StoredPlans, WhatIsSafeMayHaveBeenMeasuredToBeSlower) {
    kernels_.resize(2);
    for (const double us : {50.0, 130.0}) {
        claim(1, us);
        PlanOptions options;
        options.select = options_;
        const KernelIndex<double, std::int32_t> index(kernels_, id(0),
                                                      [&](const Outline&) { return id(1); });
        const Plan<double, std::int32_t> plan(choose_for(a_.view(), Backend::cpu, 1), index,
                                              options);
        EXPECT_EQ(plan.current(), id(us < 100 ? 1 : 0)) << plan.why();
    }
}

TEST_F(StoredPlans, PlainCsrThatIsFasterThanStoredIsFoundOut) {
    kernels_.resize(2);
    claim(0, 8000);
    for (const double expected : {0.0, 1000.0}) {
        options_.calls = expected;
        const auto [us, current] = live(1000);
        EXPECT_EQ(current, id(0));
        EXPECT_LE(us, 1.05 * 1000 * 100 + 10 * 100 + 400);
    }
}

}  // namespace
}  // namespace sptune::tuner
