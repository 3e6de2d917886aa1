#include "tests/db/scratch.hpp"
#include "tests/tuner/fake.hpp"
#include "tests/tuner/fake_model.hpp"
#include "tuner/identify.hpp"
#include "tuner/select.hpp"

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

using fake::kernel;
using Kernel = SpmvKernel<double, std::int32_t>;

class Select : public testing::Test {
  protected:
    Csr<double> a_ = fake::matrix();
    // Plain CSR, and then whatever a test adds.
    std::vector<Kernel> kernels_{kernel(fake::right, 100, 100, 0)};
    db::Scratch scratch_;
    db::Store store_{scratch_ / "db"};
    SelectOptions options_;
    int extracted_ = 0;
    /// Says what each kernel will really take.
    fake::Model honest_{[](const Variant& v) {
        return models::Prediction{double(get(v.params, "t")), double(get(v.params, "v"))};
    }};

    void SetUp() override {
        options_.models = {&honest_};
        options_.databases = std::make_shared<db::Databases>(store_);
    }
    Selection select() {
        Chooser<double, std::int32_t> chooser = choose_for(a_.view(), Backend::cpu, 1);
        chooser.features = [this] {
            ++extracted_;
            return extract_features(a_.view(), 1);
        };
        const KernelIndex<double, std::int32_t> index(kernels_, kernels_[0].variant.id());
        return select_spmv(chooser, index, options_);
    }
    std::string id(std::size_t i) const { return kernels_[i].variant.id(); }

    /// What a sweep would have stored: all kernels with their real times.
    db::Entry entry(const std::string& device_key) const {
        db::Entry e;
        e.features = extract_features(a_.view(), 1);
        e.matrix = {"m", "", a_.rows, a_.cols, a_.nnz(), e.features.fingerprint};
        e.device = identify(Backend::cpu, 0);
        e.device.key = device_key;
        e.baseline = id(0);
        double best = 1e300;
        for (const Kernel& k : kernels_) {
            db::Candidate c;
            c.id = k.variant.id();
            c.status = db::Status::ok;
            c.time = db::TimeUs{double(get(k.variant.params, "t")), 0, 1, {}};
            c.convert_us = get(k.variant.params, "v");
            c.bytes = static_cast<std::uint64_t>(get(k.variant.params, "b")) + 8 * 8;
            c.kernel_hash = k.variant.kernel_hash;
            if (c.time->median < best) best = c.time->median, e.winner = c.id;
            e.candidates.push_back(std::move(c));
        }
        e.complete = true;
        e.provenance.created_utc = db::utc_time();
        return e;
    }
    std::string here() const { return identify(Backend::cpu, options_.threads).key; }
};

TEST_F(Select, TheModelDecidesWhereNothingIsStored) {
    kernels_.push_back(kernel(fake::right, 50, 200, 500));
    kernels_.push_back(kernel(fake::right, 40, 300, 5000));
    options_.calls = 200;  // 50 + 2.5 against 40 + 25
    const Selection s = select();
    EXPECT_EQ(s.source, Source::model);
    EXPECT_EQ(s.chosen.id, id(1));
    EXPECT_EQ(s.chosen.predicted_us, 50);
    EXPECT_EQ(s.baseline.id, id(0));
    EXPECT_EQ(s.break_even_calls, 10);
    EXPECT_EQ(s.confidence, 0.75);
    ASSERT_EQ(s.runners_up.size(), 2u);
    EXPECT_EQ(s.runners_up[0].id, id(2));
    EXPECT_NE(s.why.find("has not been measured on " + here()), std::string::npos) << s.why;
    EXPECT_NE(s.why.find("The model \"fake\" predicts 50.0 µs"), std::string::npos) << s.why;
    options_.calls = 10000;
    EXPECT_EQ(select().chosen.id, id(2));
    options_.calls = 5;
    EXPECT_EQ(select().chosen.id, id(0));
    EXPECT_EQ(select().break_even_calls, 0);
}

TEST_F(Select, TheHeuristicSaysThatItIsOne) {
    const fake::Model heuristic(
        [](const Variant&) {
            return models::Prediction{1, 0};
        },
        "heuristic");
    options_.models = {&heuristic};
    EXPECT_EQ(select().source, Source::heuristic);
}

TEST_F(Select, TheNextModelIsAskedWhereTheFirstKnowsNothingToUse) {
    kernels_.push_back(kernel(fake::right, 50, 200, 500));
    const double never = std::numeric_limits<double>::infinity();
    const fake::Model ignorant([&](const Variant& v) {
        return models::Prediction{get(v.params, "t") == 50 ? never : 100, 0};
    });
    options_.models = {&ignorant, &honest_};
    EXPECT_EQ(select().chosen.id, id(0));
    options_.constraints.variants = "*.t50.*";
    EXPECT_EQ(select().chosen.id, id(1));
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
    // Another structure is another matrix.
    a_.col_idx[0] = 2;
    EXPECT_EQ(select().source, Source::model);
}

TEST_F(Select, AnExportedFileDoesAsWell) {
    kernels_.push_back(kernel(fake::right, 50, 200, 500));
    store_.save(entry(here()));
    db::put(scratch_ / "export.json", db::export_store(store_, db::ExportFormat::json));
    options_.databases = std::make_shared<db::Databases>(db::Store(scratch_ / "export.json"));
    EXPECT_EQ(select().source, Source::exact);
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
    EXPECT_NE(s.why.find("Passed over: ignored " + own.path().string()), std::string::npos)
        << s.why;
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
    EXPECT_NE(s.why.find("has no kernel to use (3 times are of kernels that are not there"),
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
    EXPECT_NE(
        s.why.find("not all kernels have been measured (" + id(3) + " is expected to take 10"),
        std::string::npos)
        << s.why;
    store_.save(entry(here()));
    EXPECT_TRUE(select().complete);
    EXPECT_EQ(select().chosen.id, id(3));
}

TEST_F(Select, ADatabaseThatIsNotThereIsNamedWhereItWasAskedFor) {
    const std::string where = (scratch_ / "nowhere").string();
    options_.databases = std::make_shared<db::Databases>(where);
    const Selection s = select();
    EXPECT_NE(s.why.find(where + " does not exist"), std::string::npos) << s.why;
}

TEST_F(Select, AnotherDevicesMeasurementIsNotUsed) {
    kernels_.push_back(kernel(fake::right, 50, 200, 500));
    store_.save(entry("another-device"));
    const Selection s = select();
    EXPECT_EQ(s.source, Source::model);
    EXPECT_NE(s.why.find("another device (another-device) is not used"), std::string::npos)
        << s.why;
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
    EXPECT_NE(s.why.find("2 times are of kernels that are not there or have changed"),
              std::string::npos)
        << s.why;
}

TEST_F(Select, ConstraintsAreKept) {
    for (const bool stored : {false, true}) {
        kernels_.resize(1);
        kernels_.push_back(kernel(fake::right, 40, 300, 400));
        kernels_.push_back(kernel(fake::right, 50, 200, 500));
        kernels_.push_back(kernel(fake::right, 60, 100, 100));
        kernels_[1].variant.deterministic = false;
        if (stored) store_.save(entry(here()));
        const auto chosen = [&](auto set) {
            const SelectOptions before = options_;
            set(options_.constraints);
            const std::string found = select().chosen.id;
            options_ = before;
            return found;
        };
        EXPECT_EQ(chosen([](Constraints&) {}), id(1));
        EXPECT_EQ(chosen([](Constraints& c) { c.deterministic = true; }), id(2));
        EXPECT_EQ(chosen([](Constraints& c) { c.memory_bytes = 150; }), id(3)) << stored;
        EXPECT_EQ(chosen([](Constraints& c) { c.memory_bytes = 0; }), id(0));
        EXPECT_EQ(chosen([](Constraints& c) { c.convert_us = 200; }), id(3));
        EXPECT_EQ(chosen([&](Constraints& c) { c.variants = "*.t50.*"; }), id(2));
        EXPECT_EQ(chosen([&](Constraints& c) { c.error = 1e-12; }), id(1));
    }
}

TEST_F(Select, WhatCannotBeMetIsNamed) {
    kernels_.push_back(kernel(fake::right, 40, 300, 400));
    kernels_[1].variant.deterministic = false;
    const auto complaint = [&](auto set) -> std::string {
        const SelectOptions before = options_;
        set(options_.constraints);
        std::string what = "nothing was thrown";
        try {
            select();
        } catch (const Unmet& e) {
            what = e.what();
        }
        options_ = before;
        return what.substr(0, what.find(':'));
    };
    EXPECT_EQ(complaint([](Constraints& c) { c.error = 1e-18; }), "error bound");
    EXPECT_EQ(complaint([](Constraints& c) { c.variants = "none"; }), "variants");
    EXPECT_EQ(complaint([](Constraints& c) { c.variants = "*t40*", c.deterministic = true; }),
              "deterministic");
    EXPECT_EQ(complaint([](Constraints& c) { c.variants = "*t40*", c.memory_bytes = 10; }),
              "memory cap");
    EXPECT_EQ(complaint([](Constraints& c) { c.variants = "*t40*", c.convert_us = 10; }),
              "longest conversion");
}

TEST_F(Select, IllegalLayoutsArePassedOver) {
    kernels_.push_back(kernel(fake::illegal, 10, 300, 1));
    kernels_.push_back(kernel(fake::right, 50, 300, 1));
    EXPECT_EQ(select().chosen.id, id(2));
}

TEST_F(Select, WithoutModelsThereIsPlainCsr) {
    kernels_.push_back(kernel(fake::right, 40, 300, 400));
    options_.models.emplace();
    const Selection s = select();
    EXPECT_EQ(s.chosen.id, id(0));
    EXPECT_NE(s.why.find("No model covers this device"), std::string::npos) << s.why;
}

TEST(SelectReal, EveryRealMatrixGetsAKernel) {
    for (const index_t rows : {0, 1, 3}) {
        Csr<double> a{rows, rows, Buffer<std::int32_t>(static_cast<std::size_t>(rows) + 1, 0),
                      Buffer<index_t>(0), Buffer<double>(0)};
        SelectOptions options;
        const Selection s = select_spmv(a.view(), Backend::cpu, options);
        EXPECT_FALSE(s.chosen.id.empty());
        EXPECT_NE(s.source, Source::exact);
    }
}

}  // namespace
}  // namespace sptune::tuner
