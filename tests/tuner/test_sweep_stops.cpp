// Sweeps that end early, and others that go on from there.
#include "sweeps.hpp"

#include <algorithm>
#include <atomic>

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

TEST_F(Sweep, TheBaselineIsMeasuredWhateverTheBudget) {
    Kernels kernels = {fake::kernel(fake::right, 40), fake::kernel(fake::right, 10)};
    kernels[0].inspect = [](CsrView<double>, const Features&, const Params&) {
        fake::now_us += 100;  // that takes all of it
        return Footprint{};
    };
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

TEST_F(Sweep, ABudgetTooShortForAllIsSpentOnTheLikeliest) {
    Kernels kernels = {fake::kernel(fake::right, 5000)};
    for (int i = 0; i < 50; ++i) kernels.push_back(fake::kernel(fake::right, 4000 + i, 1000, 9000));
    kernels.push_back(fake::kernel(fake::right, 3000, 2000, 9000));  // moves the most
    const Kernel& best = kernels.back();
    options.budget_s = 0.6;
    EXPECT_EQ(of(run(kernels), best).status, db::Status::not_reached);
    options.likely = {"spmv.cpu.no.such.f64.i32", best.variant.id()};
    EXPECT_EQ(run(kernels).entry.winner, best.variant.id());
}

TEST_F(Sweep, WhatWasReachedBeforeIsReachedWhateverTheBudget) {
    const Kernels kernels = {fake::kernel(fake::right, 40), fake::kernel(fake::illegal, 10),
                             fake::kernel(fake::right, 10)};
    const SweepResult first = run(kernels);
    options.resume = &first.entry;
    options.budget_s = 1e-9;
    const SweepResult r = run(kernels);
    EXPECT_EQ(of(r, kernels[1]).status, db::Status::illegal);
    EXPECT_EQ(of(r, kernels[2]).status, db::Status::ok);
}

TEST_F(Sweep, CallsOfSecondsKeepTheBudgetToo) {
    Kernels kernels;
    for (int i = 0; i < 9; ++i) kernels.push_back(fake::kernel(fake::right, 3e6 - i * 1e4));
    options.budget_s = 20;
    const double start = fake::now_us;
    const SweepResult r = run(kernels);
    EXPECT_EQ(r.ended, Ended::budget);
    EXPECT_LT(fake::now_us - start, 25e6);
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

int calls_left;  ///< until the interrupt; 0: none comes

/// Slower from one to the next.
Kernels interrupting(int us) {
    Kernels kernels;
    for (int i = 0; i < 20; ++i) {
        kernels.push_back(fake::kernel(fake::right, us - i));
        kernels.back().apply = [](const Storage& s, double alpha, const double* x, double beta,
                                  double* y, Launch launch) {
            fake::apply(s, alpha, x, beta, y, launch);
            if (calls_left > 0 && --calls_left == 0) interrupt = true;
        };
    }
    return kernels;
}

TEST_F(Sweep, ARoundThatIsCutShortDoesNotCount) {
    const Kernels kernels = interrupting(3000);
    struct When {
        std::string_view stage;
        int report;
    };
    for (const auto& [stage, report] : {When{"second look", 7}, {"halving", 2}}) {
        interrupt = false;
        options.stop = &interrupt;
        int reports = 0;
        options.progress = [&](const Progress& p) {
            if (p.stage.starts_with(stage) && ++reports == report) calls_left = 7;
        };
        options.timer = stage == "second look" ? nullptr : &timer;
        const SweepResult r = run(kernels);
        EXPECT_EQ(r.ended, Ended::interrupted) << stage;
        ASSERT_NE(r.entry.winner, "") << stage;
        const db::Candidate& winner = *db::find(r.entry, r.entry.winner);
        EXPECT_TRUE(winner.reason.starts_with(stage)) << winner.reason;
        for (const db::Candidate& c : r.entry.candidates) {
            ASSERT_TRUE(c.time) << stage;
            if (c.reason == winner.reason) {
                EXPECT_EQ(c.time->samples.size(), winner.time->samples.size()) << stage;
            }
        }
    }
}

TEST_F(Sweep, AFinalThatIsCutShortDoesNotDecide) {
    const Kernels kernels = interrupting(30'000);
    interrupt = false;
    options.stop = &interrupt;
    options.timer = &timer;
    int reports = 0;
    options.progress = [&](const Progress& p) {
        if (p.stage == "final" && ++reports == 3) calls_left = 7;
    };
    const SweepResult r = run(kernels);
    EXPECT_EQ(reports, 3);
    EXPECT_EQ(r.ended, Ended::interrupted);
    EXPECT_EQ(r.entry.winner, kernels.back().variant.id());
    for (const db::Candidate& c : r.entry.candidates) EXPECT_NE(c.reason, "final");
}

TEST_F(Sweep, AVendorsKernelIsAsOldAsTheOthers) {
    Kernels kernels = {fake::kernel(fake::right, 40), fake::kernel(fake::right, 10)};
    kernels[1].variant.vendor = true;
    kernels[1].variant.kernel_hash.clear();
    SweepResult first = run(kernels);
    for (auto& c : first.entry.candidates) c.error = 0.5;
    options.resume = &first.entry;
    EXPECT_EQ(of(run(kernels), kernels[1]).error, 0.5);
    kernels[0].variant.kernel_hash = "h2";
    EXPECT_NE(of(run(kernels), kernels[1]).error, 0.5);
}

TEST_F(Sweep, WhatIsKnownToBeSlowIsNotVisitedAgain) {
    static int calls;
    Kernels kernels = {fake::kernel(fake::right, 40), fake::kernel(fake::right, 10),
                       fake::kernel(fake::right, 200)};
    kernels[2].apply = [](const Storage& s, double alpha, const double* x, double beta, double* y,
                          Launch launch) {
        ++calls;
        fake::apply(s, alpha, x, beta, y, launch);
    };
    const SweepResult first = run(kernels);
    options.resume = &first.entry;
    calls = 0;
    run(kernels);
    EXPECT_EQ(calls, 0);
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
        EXPECT_TRUE(p.eta_s >= 0 || p.done == 0) << "unknown before anything is done";
    };
    run(kernels);
    ASSERT_GT(times.size(), 3u);
    for (std::size_t i = 1; i < times.size(); ++i) EXPECT_GE(times[i] - times[i - 1], 1e5);
}

}  // namespace
}  // namespace sptune::tuner
