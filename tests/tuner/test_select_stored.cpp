// Choices by what was measured.
#include "tests/tuner/selections.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

Csr<double, std::int64_t> widened(const Csr<double>& a) {
    Csr<double, std::int64_t> wide{
        a.rows, a.cols, Buffer<std::int64_t>(static_cast<std::size_t>(a.rows) + 1),
        Buffer<index_t>(a.col_idx.size()), Buffer<double>(a.values.size())};
    std::copy(a.row_ptr.begin(), a.row_ptr.end(), wide.row_ptr.begin());
    std::copy(a.col_idx.begin(), a.col_idx.end(), wide.col_idx.begin());
    std::copy(a.values.begin(), a.values.end(), wide.values.begin());
    return wide;
}

TEST_F(Select, AStoredMeasurementComesFirst) {
    kernels_.push_back(kernel(fake::right, 50, 200, 500));
    kernels_.push_back(kernel(fake::right, 40, 300, 5000));
    store_.save(entry(here()));
    fake::Model wrong([](const Variant&) { return models::Prediction{1, 0}; });
    options_.models = {&wrong};
    options_.calls = 200;
    Selection s = select();
    EXPECT_EQ(s.source, Source::exact);
    EXPECT_EQ(s.chosen.id, id(1));
    EXPECT_EQ(s.confidence, 1);
    EXPECT_EQ(extracted_, 0) << "features are not needed";
    EXPECT_NE(s.why.find("was measured on this matrix"), std::string::npos) << s.why;
    EXPECT_NE(s.why.find("at 0.80x the time, which its conversion ("), std::string::npos) << s.why;
    // Another structure is another matrix.
    a_.col_idx[0] = 2;
    EXPECT_EQ(select().source, Source::model);
}

TEST_F(Select, WhatWasMeasuredBesideOtherWorkIsSaidToBe) {
    kernels_.push_back(kernel(fake::right, 50, 200, 500));
    db::Entry e = entry(here());
    e.provenance.cores_busy = true;
    store_.save(e);
    const Selection s = select();
    EXPECT_EQ(s.source, Source::exact);
    EXPECT_EQ(s.chosen.id, id(1));
    EXPECT_TRUE(s.cores_busy) << "so that a plan holds others against it";
    EXPECT_NE(s.why.find("(measured with cores that did something else)"), std::string::npos)
        << s.why;
    EXPECT_EQ(s.why.find("not all kernels"), std::string::npos) << s.why;
    options_.validate = Validate::strict;
    EXPECT_EQ(select().source, Source::model);
}

/// An entry is not read in full. What is left out may be what a constraint, or a few calls, ask
/// for.
TEST_F(Select, ManyFasterKernelsHideNoneThatWouldDo) {
    for (int i = 0; i < 60; ++i) kernels_.push_back(kernel(fake::right, 10 + i, 200, 5000));
    Kernel in_place = kernel(fake::right, 80, 0, 0);
    in_place.variant.format = "csr";
    in_place.variant.layout = kernels_[0].variant.layout;
    kernels_.push_back(in_place);
    kernels_.push_back(kernel(fake::right, 90, 100, 10));
    store_.save(entry(here()));
    options_.calls = 3;
    Selection s = select();
    EXPECT_EQ(s.source, Source::exact);
    EXPECT_EQ(s.chosen.id, id(61)) << s.why;
    options_.calls = 1000;
    EXPECT_EQ(select().chosen.id, id(1));
    options_.constraints.memory_bytes = 0;
    EXPECT_EQ(select().chosen.id, id(61));
    options_.constraints.memory_bytes = ~0ull;
    options_.constraints.variants = "*.t90.*";
    EXPECT_EQ(select().chosen.id, id(62));
}

TEST_F(Select, WhatIsChosenInsteadOfTheWinnerIsExplained) {
    kernels_.push_back(kernel(fake::right, 40, 100, 20'000));
    kernels_.push_back(kernel(fake::right, 20, 100, 200'000));
    store_.save(entry(here()));
    Selection s = select();
    EXPECT_EQ(s.chosen.id, id(0));
    EXPECT_NE(s.why.find("the fastest of that sweep was " + id(2)), std::string::npos) << s.why;
    EXPECT_NE(s.why.find("dearer over 300 calls, which are assumed"), std::string::npos) << s.why;
    options_.calls = 4000;
    s = select();
    EXPECT_EQ(s.chosen.id, id(1));
    EXPECT_NE(s.why.find("next is " + id(2) + ", the fastest of that sweep, at 0.50x"),
              std::string::npos)
        << s.why;
    EXPECT_NE(s.why.find("makes dearer over 4000 calls"), std::string::npos) << s.why;
    options_.calls = 1'000'000;
    EXPECT_EQ(select().chosen.id, id(2));
    EXPECT_EQ(select().why.find("the fastest of that sweep"), std::string::npos) << select().why;
    options_.constraints.convert_us = 100'000;
    s = select();
    EXPECT_EQ(s.chosen.id, id(1));
    EXPECT_NE(s.why.find("keep within the constraints"), std::string::npos) << s.why;
}

TEST_F(Select, WhereNothingIsStoredNobodyNeedsAFingerprint) {
    EXPECT_EQ(select().source, Source::model);
    EXPECT_EQ(fingerprinted_, 0);
    store_.save(entry("another-device"));
    const Selection s = select();
    EXPECT_EQ(fingerprinted_, 1);
    EXPECT_NE(s.why.find("another-device"), std::string::npos) << s.why;
}

TEST_F(Select, AnExportedFileDoesAsWell) {
    kernels_.push_back(kernel(fake::right, 50, 200, 500));
    store_.save(entry(here()));
    db::put(scratch_ / "export.json", db::export_store(store_, db::ExportFormat::json));
    options_.databases = std::make_shared<db::Databases>(db::Store(scratch_ / "export.json"));
    EXPECT_EQ(select().source, Source::exact);
}

TEST_F(Select, OfAStoredDeviceTheBandwidthCountsAndNotItsInstructionSet) {
    kernels_.push_back(kernel(fake::right, 50, 200, 500));
    db::Entry stored = entry(here());
    stored.device.simd = "another";
    stored.device.threads = 100'000;
    stored.device.bandwidth_gbs = 12;
    stored.device.bandwidth_curve = {{1 << 20, 12}};
    store_.save(stored);
    const db::Databases databases{db::Store(store_)};
    const db::Device found = device_without_measuring(Backend::cpu, 0, &databases);
    EXPECT_EQ(found.bandwidth_gbs, 12);
    EXPECT_EQ(found.simd, identify(Backend::cpu, 0).simd);
    EXPECT_EQ(found.threads, identify(Backend::cpu, 0).threads);
}

TEST_F(Select, TheNextDatabaseIsAskedWhereTheFirstHasNothingToUse) {
    kernels_.push_back(kernel(fake::right, 50, 200, 500));
    setenv("SPTUNE_DB", "", 1);
    setenv("XDG_DATA_HOME", (scratch_ / "home").c_str(), 1);
    setenv("XDG_DATA_DIRS", scratch_.path().c_str(), 1);
    const db::Store own(scratch_ / "home/sptune/db"), systems(scratch_ / "sptune/db");
    const auto ask = [&] {
        options_.databases = std::make_shared<db::Databases>(std::string());
        return select();
    };
    EXPECT_EQ(ask().source, Source::model);
    systems.save(entry(here()));
    Selection s = ask();
    EXPECT_EQ(s.source, Source::exact);
    EXPECT_NE(s.why.find("the system's database " + systems.path().string()), std::string::npos)
        << s.why;
    own.save(entry(here()));
    s = ask();
    EXPECT_EQ(s.source, Source::exact);
    EXPECT_EQ(s.why.find("the system's database"), std::string::npos) << s.why;
    // Nothing to hold the times against.
    db::Entry useless = entry(here());
    useless.candidates[0].kernel_hash = "h0";
    own.save(useless);
    s = ask();
    EXPECT_EQ(s.source, Source::exact);
    EXPECT_NE(s.why.find("the system's database"), std::string::npos) << s.why;
    // What cannot be read is passed over, and named.
    db::put(own.path() / here() / (db::entry_key(useless) + ".json"), "garbage");
    s = ask();
    EXPECT_EQ(s.source, Source::exact);
    EXPECT_NE(s.why.find("Passed over: " + own.path().string()), std::string::npos) << s.why;
}

TEST_F(Select, AnEntryThatCallsAnIllegalKernelFastIsNotBelieved) {
    kernels_.push_back(kernel(fake::illegal, 10, 300, 1));
    kernels_.push_back(kernel(fake::right, 50, 300, 1));
    kernels_.push_back(kernel(fake::right, 40, 300, 1));
    db::Entry doctored = entry(here());
    doctored.candidates[2].time->median = 20;  // no more to be believed than the illegal one
    store_.save(doctored);
    const Selection s = select();
    EXPECT_EQ(s.source, Source::model);
    EXPECT_EQ(s.chosen.id, id(3));
    EXPECT_NE(s.why.find(id(1) + ", stored as fast, cannot be used on this matrix: it is against "
                                 "the law"),
              std::string::npos)
        << s.why;
    // Features of another matrix are not what it is judged by.
    doctored.winner = id(2);
    std::erase_if(doctored.candidates, [&](const db::Candidate& c) { return c.id == id(1); });
    store_.save(doctored);
    EXPECT_EQ(select().source, Source::exact);
}

TEST_F(Select, AWinnerThatIsUnknownHereGivesWayToWhatElseWasMeasured) {
    kernels_.push_back(kernel(fake::right, 50, 300, 1));
    kernels_.push_back(kernel(fake::right, 40, 300, 1));
    db::Entry foreign = entry(here());
    foreign.candidates[2].id = foreign.winner = "spmv.cpu.strange.kernel.f64.i32";
    store_.save(foreign);
    Selection s = select();
    EXPECT_EQ(s.source, Source::exact);
    EXPECT_EQ(s.chosen.id, id(1));
    EXPECT_NE(s.why.find("strange.kernel.f64.i32, stored as the fastest, is unknown to this build"),
              std::string::npos)
        << s.why;
    for (db::Candidate& c : foreign.candidates)
        if (c.id == id(0) || c.id == id(1)) c.id += ".strange";
    foreign.baseline = foreign.candidates[0].id;
    store_.save(foreign);
    s = select();
    EXPECT_EQ(s.source, Source::model);
    EXPECT_NE(
        s.why.find(
            "has no kernel to use (3 of the fastest that it has are of kernels that are not there"),
        std::string::npos)
        << s.why;
}

TEST_F(Select, AnEntryThatIsNotCompleteLeavesTheRestToTheModel) {
    for (const int us : {50, 40, 10, 200}) kernels_.push_back(kernel(fake::right, us, 300, 1));
    db::Entry few = entry(here());
    few.candidates.resize(2);  // of 100 and 50 us
    few.winner = id(1);
    few.complete = false;
    store_.save(few);
    const Selection s = select();
    EXPECT_EQ(s.source, Source::exact);
    EXPECT_FALSE(s.complete);
    EXPECT_EQ(s.chosen.id, id(1));
    std::vector<std::string> others;
    for (const Ranked& r : s.alternatives) others.push_back(r.id);
    EXPECT_EQ(others, (std::vector{id(0), id(3), id(2)}));
    EXPECT_NE(s.why.find("that sweep was stopped early or left kernels out (" + id(3) +
                         " is expected to take 10"),
              std::string::npos)
        << s.why;
    // All of them, but for the last comparison.
    few = entry(here());
    few.complete = false;
    store_.save(few);
    const std::string why = select().why;
    EXPECT_NE(why.find("that sweep was stopped early or left kernels out, which"),
              std::string::npos)
        << why;
    store_.save(entry(here()));
    EXPECT_TRUE(select().complete);
    EXPECT_EQ(select().why.find("that sweep"), std::string::npos);
    EXPECT_EQ(select().chosen.id, id(3));
}

TEST_F(Select, ASweepThatReachedNothingButTheBaselineDecidesNothing) {
    kernels_.push_back(kernel(fake::right, 20, 100, 50));
    db::Entry e = entry(here());
    e.complete = false;
    std::erase_if(e.candidates, [&](const db::Candidate& c) { return c.id != e.baseline; });
    e.winner = e.baseline;
    store_.save(e);
    const Selection s = select();
    EXPECT_EQ(s.source, Source::model);
    EXPECT_EQ(s.chosen.id, id(1));
    EXPECT_NE(s.why.find("stopped before it reached another kernel"), std::string::npos) << s.why;
}

TEST_F(Select, ADatabaseThatIsNotThereIsNamedWhereItWasAskedFor) {
    const std::string where = (scratch_ / "nowhere").string();
    options_.databases = std::make_shared<db::Databases>(where);
    const Selection s = select();
    EXPECT_NE(s.why.find(where + " does not exist"), std::string::npos) << s.why;
}

TEST_F(Select, AMeasurementWithNarrowRowPointersServesWideOnes) {
    db::Entry e = entry(here());
    const auto id_of = [](const auto& list, std::string_view format) {
        const auto found = std::find_if(list.begin(), list.end(), [&](const auto& k) {
            return k.variant.format == format && k.variant.algorithm == "simd";
        });
        return *found;
    };
    const auto narrow = id_of(spmv_kernels<double, std::int32_t>(Backend::cpu), "sell");
    const auto wide = id_of(spmv_kernels<double, std::int64_t>(Backend::cpu), "sell");
    e.candidates.resize(1);
    e.candidates[0].id = e.baseline =
        spmv_baseline_id(Backend::cpu, ValueType::f64, IndexType::i32);
    e.candidates[0].kernel_hash =
        spmv_kernels<double, std::int32_t>(Backend::cpu)[0].variant.kernel_hash;
    e.candidates.push_back(e.candidates[0]);
    e.candidates[1].id = e.winner = narrow.variant.id();
    e.candidates[1].kernel_hash = narrow.variant.kernel_hash;
    e.candidates[1].time->median /= 10;
    store_.save(e);
    const Csr<double, std::int64_t> same = widened(a_);
    options_.calls = 1e9;
    const Selection s = select_spmv(same.view(), Backend::cpu, options_);
    EXPECT_EQ(s.source, Source::exact);
    EXPECT_EQ(s.chosen.id, wide.variant.id());
}

TEST_F(Select, WhatIsStoredForNarrowRowPointersAndNotUsedIsNamedForWideOnes) {
    options_.models.emplace();
    const Csr<double, std::int64_t> wide = widened(a_);
    const auto why = [&] { return select_spmv(wide.view(), Backend::cpu, options_).why; };
    store_.save(entry("another-device"));
    std::string said = why();
    EXPECT_NE(said.find("another device (another-device) is not used"), std::string::npos) << said;
    store_.save(entry(here()));
    const auto broken = store_.path() / here() / (db::entry_key(entry(here())) + ".json");
    db::put(broken, "garbage");
    said = why();
    EXPECT_NE(said.find("Passed over: " + broken.string()), std::string::npos) << said;
    EXPECT_NE(said.find("another-device"), std::string::npos) << said;
}

TEST_F(Select, AnotherDevicesMeasurementIsNotUsed) {
    kernels_.push_back(kernel(fake::right, 50, 200, 500));
    store_.save(entry("another-device"));
    const Selection s = select();
    EXPECT_EQ(s.source, Source::model);
    EXPECT_NE(s.why.find("another device (another-device) is not used"), std::string::npos)
        << s.why;
}

TEST_F(Select, ALibraryThatHasChangedIsMadeKnownOrRulesTheMeasurementOut) {
    kernels_.push_back(kernel(fake::right, 40, 300, 400));
    db::Entry e = entry(here());
    e.candidates[1].vendor = true;
    e.provenance.vendor_library = "MKL 1";
    store_.save(e);
    Selection s = select();
    EXPECT_EQ(s.source, Source::exact);
    EXPECT_NE(s.why.find("(measured with MKL 1, here "), std::string::npos) << s.why;
    options_.validate = Validate::ignore;
    s = select();
    EXPECT_EQ(s.source, Source::exact);
    EXPECT_EQ(s.why.find("MKL 1"), std::string::npos) << s.why;
    options_.validate = Validate::strict;
    s = select();
    EXPECT_EQ(s.source, Source::model);
    EXPECT_NE(s.why.find("Passed over: a measurement of this matrix with MKL 1"), std::string::npos)
        << s.why;
    e.candidates[1].vendor = false;  // another's measurement of the library does not decide
    store_.save(e);
    EXPECT_EQ(select().source, Source::exact);
}

TEST(Versions, AreComparedAsFarAsTheyAreKnown) {
    db::Device then, now;
    then.backend = now.backend = "cuda";
    now.driver = "13.0", now.toolkit = "13.0";
    EXPECT_EQ(changed_since(then, "", false, now), "") << "older entries do not say";
    then.driver = "12.8", then.toolkit = "13.0";
    EXPECT_EQ(changed_since(then, "", false, now), "driver 12.8, here 13.0");
    then.toolkit = "12.9";
    EXPECT_EQ(changed_since(then, "cuSPARSE 1", false, now),
              "driver 12.8, here 13.0; toolkit 12.9, here 13.0");
    EXPECT_EQ(parse_validate("strict"), Validate::strict);
    EXPECT_THROW(parse_validate("yes"), UsageError);
    setenv("SPTUNE_VALIDATE", "ignore", 1);
    EXPECT_EQ(parse_validate(""), Validate::ignore);
    EXPECT_EQ(parse_validate("strict"), Validate::strict);
    setenv("SPTUNE_VALIDATE", "sometimes", 1);
    EXPECT_THROW(parse_validate(""), UsageError);
    unsetenv("SPTUNE_VALIDATE");
    EXPECT_EQ(parse_validate(""), Validate::warn);
}

TEST_F(Select, TimesOfChangedKernelsDoNotCount) {
    kernels_.push_back(kernel(fake::right, 50, 200, 500));
    kernels_.push_back(kernel(fake::right, 40, 300, 400));
    store_.save(entry(here()));
    kernels_[2].variant.kernel_hash = "h2";
    EXPECT_EQ(select().chosen.id, id(1));
    EXPECT_EQ(select().source, Source::exact);
    kernels_[0].variant.kernel_hash = "h2";  // nothing to hold the rest against
    const Selection s = select();
    EXPECT_EQ(s.source, Source::model);
    EXPECT_NE(s.why.find(
                  "2 of the fastest that it has are of kernels that are not there or have changed"),
              std::string::npos)
        << s.why;
}

}  // namespace
}  // namespace sptune::tuner
