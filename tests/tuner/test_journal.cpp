#include "fake.hpp"
#include "tuner/journal.hpp"
#include "tuner/sweep.hpp"

#include <map>

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

using Kernel = SpmvKernel<double, std::int32_t>;
using Kernels = std::vector<Kernel>;

/// Remembers for the next sweep what this one has settled.
struct FakeJournal final : Journal {
    void open(const db::Entry& entry) override { blank = entry; }
    void begin(const std::string& id, const char* phase) override {
        running = id;
        phases[id] += std::string(phase) + " ";
    }
    void end() override { running.clear(); }
    void settle(const db::Candidate& candidate) override { settled[candidate.id] = candidate; }
    const db::Candidate* recall(const std::string& id) const override {
        const auto found = known.find(id);
        return found == known.end() ? nullptr : &found->second;
    }

    db::Entry blank;
    std::string running;
    std::map<std::string, std::string> phases;
    std::map<std::string, db::Candidate> settled, known;
};

class SweepJournal : public ::testing::Test {
  protected:
    SweepJournal() {
        options.clock = fake::clock;
        options.limits.storage_factor = 1e9;
        options.limits.storage_bytes = 1 << 30;
        options.journal = &journal;
        fake::conversions = fake::calls = 0;
    }

    SweepResult run() {
        journal.phases.clear();
        return sweep_kernels(a.view(), features, kernels, kernels.front().variant.id(), device,
                             options);
    }
    std::string id(std::size_t i) const { return kernels[i].variant.id(); }

    Csr<double> a = fake::matrix();
    Features features;
    db::Device device;
    SweepOptions options;
    FakeJournal journal;
    Kernels kernels = {fake::kernel(fake::right, 40), fake::kernel(fake::right, 10),
                       fake::kernel(fake::wrong_row, 1), fake::kernel(fake::right, 25),
                       fake::kernel(fake::throws, 1)};
};

TEST_F(SweepJournal, BeginsWithWhatTheSweepIsAbout) {
    const SweepResult result = run();
    EXPECT_EQ(journal.blank.baseline, result.entry.baseline);
    EXPECT_FALSE(journal.blank.complete);
    ASSERT_EQ(journal.blank.candidates.size(), kernels.size());
    for (const db::Candidate& candidate : journal.blank.candidates) {
        EXPECT_EQ(candidate.status, db::Status::not_reached);
        EXPECT_EQ(candidate.kernel_hash, db::find(result.entry, candidate.id)->kernel_hash);
    }
}

TEST_F(SweepJournal, HoldsEveryShortRun) {
    run();
    EXPECT_EQ(journal.running, "");
    EXPECT_EQ(journal.phases[id(1)].find("inspected converted verified timed timed again"), 0u);
    EXPECT_EQ(journal.phases[id(2)], "inspected converted verified ");
    ASSERT_EQ(journal.settled.size(), kernels.size());
    EXPECT_EQ(journal.settled[id(1)].status, db::Status::ok);
    EXPECT_DOUBLE_EQ(journal.settled[id(1)].time->median, 10);
    EXPECT_EQ(journal.settled[id(2)].status, db::Status::incorrect);
    EXPECT_EQ(journal.settled[id(4)].status, db::Status::crashed);
}

TEST_F(SweepJournal, WhatIsKnownIsNotMeasuredAgainButTakesPartInTheFinal) {
    run();
    journal.known = std::move(journal.settled);
    db::Candidate& victim = journal.known[id(3)] = {};  // all that its process could leave behind
    victim.id = id(3);
    victim.status = db::Status::timeout;
    victim.reason = "it hung";
    journal.known[id(1)].error = 0.5;  // a mark that verifying would erase
    const SweepResult again = run();
    EXPECT_TRUE(again.entry.complete);
    EXPECT_EQ(again.entry.winner, id(1));
    EXPECT_EQ(journal.phases[id(1)].find("inspected timed again"), 0u);
    EXPECT_EQ(journal.phases[id(2)], "");  // nothing of those that have failed runs again
    EXPECT_EQ(journal.phases[id(3)], "");
    const db::Candidate* hung = db::find(again.entry, id(3));
    EXPECT_EQ(hung->status, db::Status::timeout);
    EXPECT_EQ(hung->reason, "it hung");
    EXPECT_EQ(hung->format, "fake");
    EXPECT_EQ(hung->kernel_hash, "h1");
    EXPECT_EQ(db::find(again.entry, id(1))->reason, "final");
    EXPECT_EQ(db::find(again.entry, id(1))->convert_us, 50);
    EXPECT_EQ(db::find(again.entry, id(1))->error, 0.5);
}

TEST_F(SweepJournal, AfterALostDeviceNothingIsTried) {
    kernels[1].convert = [](auto...) -> std::unique_ptr<Storage> {
        throw DeviceFailure("it is gone", true);
    };
    EXPECT_THROW(run(), DeviceFailure);
    EXPECT_EQ(journal.running, id(1));
    kernels[1].convert = [](auto...) -> std::unique_ptr<Storage> {
        throw DeviceFailure("no such launch", false);
    };
    EXPECT_EQ(db::find(run().entry, id(1))->status, db::Status::crashed);
}

}  // namespace
}  // namespace sptune::tuner
