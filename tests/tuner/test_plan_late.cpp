// Plans that choose only once the calls so far make it cheap.
#include "tests/db/scratch.hpp"
#include "tests/tuner/plans.hpp"
#include "tuner/identify.hpp"
#include "tuner/waiting.hpp"

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

TEST_F(Plans, AChoiceWaitsUntilItIsCheapBesideTheCalls) {
    constexpr double kAsked = 700;  // what the model takes to answer, us
    add(40, 500);
    const fake::Model slow([&](const Variant& v) {
        if (get(v.params, "v") == 0) fake::now_us += kAsked;
        return models::Prediction{real_time(v), real_conversion(v)};
    });
    options_.may_wait = true;
    // 100 us a call: worth it soon.
    EXPECT_EQ(live(slow, 25).current, id(0)) << "what choosing took is to be earned first";
    EXPECT_EQ(live(slow, 60).current, id(1));
    // 2 us a call: 200 calls take less than choosing.
    kernels_ = {kernel(fake::right, 2, 1, 0)};
    add(1, 500);
    Life life = live(slow, 200);
    EXPECT_EQ(life.total_us, 200 * 2) << life.why;
    EXPECT_EQ(life.current, id(0));
    EXPECT_FALSE(life.settled);
    EXPECT_NE(life.why.find("until choosing is cheap"), std::string::npos) << life.why;
    for (const int calls : {300, 3000, 30'000}) {
        life = live(slow, calls);
        const double promise = (1.05 * calls + 20) * 2 + kAsked;
        EXPECT_LE(life.total_us, promise) << calls << " calls: " << life.why;
    }
    EXPECT_EQ(life.current, id(1)) << life.why;
    // Where the first choice of a process takes long, it waits for more calls.
    options_.choosing_us = 5000;
    EXPECT_EQ(live(slow, 30'000).current, id(0));
    EXPECT_EQ(live(slow, 80'000).current, id(1));
    // What the caller insists on is chosen at once.
    options_.select.calls = 10;
    EXPECT_GE(live(slow, 1).total_us, kAsked);
}

TEST(Waiting, ForWhatChoosingMaySave) {
    // 100 us and four calls of 20: 180 us, for which the promise has room after the third call. A
    // conversion and its trials are to have been worth their 300 as well.
    const auto calls_before_choosing = [](double likely_saving, double spent_us = 0) {
        Terms terms;
        terms.likely_saving = likely_saving;
        Waiting waiting;
        waiting.spent(spent_us);
        int calls = 0;
        while (!waiting.is_enough(terms, 100)) waiting.called(calls++ ? 20 : 0);
        return calls;
    };
    EXPECT_EQ(calls_before_choosing(0), 3);
    EXPECT_EQ(calls_before_choosing(0.3), 80);
    EXPECT_EQ(calls_before_choosing(0.1), 240);
    EXPECT_EQ(calls_before_choosing(0, 50), 30) << "10 calls and 5 % of 30 are 230";
    Waiting waiting;
    EXPECT_FALSE(waiting.wants_time()) << "the first call does more than multiply";
    waiting.called(0);
    EXPECT_TRUE(waiting.wants_time());
}

/// Rows and columns without entries, and entries of few rows.
TEST(Waiting, OddShapesAreDearer) {
    const double usual = odd_shape_us(100'000, 100'000, 1'000'000);
    EXPECT_LT(usual, 50) << "next to nothing beside four calls of some 100 us";
    EXPECT_GT(odd_shape_us(1'000, 1'000'000'000, 10'000), 50'000);
    EXPECT_GT(odd_shape_us(4'000'000, 4'000'000, 1'000), 50'000);
    EXPECT_GT(odd_shape_us(1, 2'000'000, 2'000'000), 50'000);
    EXPECT_EQ(odd_shape_us(0, 0, 0), 0);
}

TEST(Waiting, TheFirstChoiceOfAProcessIsDearer) {
    const double first = choosing_us(Backend::cuda);
    has_chosen(Backend::cuda);
    EXPECT_LT(choosing_us(Backend::cuda), first / 10);
}

TEST_F(Plans, AChoiceThatCameLateSaysWhatTheDatabasesKnew) {
    add(40, 500);
    options_.may_wait = true;
    EXPECT_NE(live(honest_, 1).why.find("no database was asked"), std::string::npos);
    EXPECT_NE(live(honest_, 60).why.find("No database was asked"), std::string::npos);
    const db::Scratch scratch;
    options_.select.databases = std::make_shared<db::Databases>(db::Store(scratch / "db"));
    Life life = live(honest_, 1);
    EXPECT_NE(life.why.find("no database has measurements of this device"), std::string::npos)
        << life.why;
    life = live(honest_, 60);
    EXPECT_EQ(life.current, id(1));
    EXPECT_NE(life.why.find("This matrix has not been measured on"), std::string::npos) << life.why;
    EXPECT_EQ(life.why.find("No database was asked"), std::string::npos) << life.why;
    const auto print = fingerprint(a_.view(), 1);
    db::put(scratch / "db/another-device" /
                (db::entry_key(Op::spmv, ValueType::f64, IndexType::i32, print, "warm") + ".json"),
            "");
    life = live(honest_, 60);
    EXPECT_NE(life.why.find("another device (another-device) is not used"), std::string::npos)
        << life.why;
}

TEST_F(Plans, WhereADatabaseKnowsOtherMatricesChoosingWaitsAllTheSame) {
    constexpr double kAsked = 700;
    add(40, 500);
    const fake::Model slow([&](const Variant& v) {
        if (get(v.params, "v") == 0) fake::now_us += kAsked;
        return models::Prediction{real_time(v), real_conversion(v)};
    });
    const db::Scratch scratch;
    const auto print = fingerprint(a_.view(), 1);
    db::put(
        scratch / "db" / identify(Backend::cpu, 0).key /
            (db::entry_key(Op::spmv, ValueType::f64, IndexType::i32, print + 1, "warm") + ".json"),
        "");
    options_.select.databases = std::make_shared<db::Databases>(db::Store(scratch / "db"));
    options_.may_wait = true;
    const Life life = live(slow, 1);
    EXPECT_LT(life.total_us, 100 + kAsked) << life.why;
    EXPECT_NE(life.why.find("no database has a measurement of this matrix"), std::string::npos)
        << life.why;
    EXPECT_EQ(live(slow, 60).current, id(1));
}

TEST_F(Plans, ChoosingMayFail) {
    add(40, 500);
    const fake::Model broken([](const Variant&) -> models::Prediction { throw Error("no idea"); });
    options_.may_wait = true;
    const Life life = live(broken, 50);
    EXPECT_EQ(life.total_us, 50 * 100);
    EXPECT_TRUE(life.settled);
    EXPECT_NE(life.why.find("Choosing failed: no idea"), std::string::npos) << life.why;
}

TEST_F(Plans, AMatrixThatLeadsOutOfItsArraysIsRefusedAgainAndAgain) {
    add(40, 500);
    options_.select.models = {&honest_};
    options_.may_wait = true;
    const Index index(kernels_, id(0));
    Plan<double, std::int32_t> plan(choose_for(a_.view(), Backend::cpu, 1), index, options_);
    x_ = Buffer<double>(64, 1.0);  // what the calls before read
    a_.col_idx[3] = 60;
    int refused = 0;
    for (int n = 0; n < 60; ++n) {
        try {
            plan.apply(1, x_.data(), 0, y_.data());
        } catch (const UsageError&) {
            ++refused;
        }
    }
    EXPECT_GE(refused, 50);
}

TEST_F(Plans, ConstraintsAreHeededFromTheFirstCallOn) {
    kernels_ = {kernel(fake::right, 100, 1, 0), kernel(fake::right, 90, 1, 200),
                kernel(fake::right, 40, 1, 50)};
    options_.select.models = {&honest_};
    options_.may_wait = true;
    const auto second = [&](const Outline&) { return id(1); };  // is safe
    const Index index(kernels_, id(0), second);
    const auto begins_with = [&](auto constrain) {
        options_.select.constraints = {};
        constrain(options_.select.constraints);
        Plan<double, std::int32_t> plan(choose_for(a_.view(), Backend::cpu, 1), index, options_);
        EXPECT_EQ(plan.why().find("until choosing is cheap"), std::string::npos) << plan.why();
        return plan.current();
    };
    EXPECT_EQ(begins_with([&](Constraints& c) { c.variants = id(2); }), id(2));
    EXPECT_EQ(begins_with([](Constraints& c) { c.memory_bytes = 1000; }), id(0));
    EXPECT_EQ(begins_with([](Constraints& c) { c.convert_us = 100; }), id(0));
    EXPECT_EQ(begins_with([](Constraints& c) { c.convert_us = 1000; }), id(1));
    // Where plain CSR is allowed, but not the safe kernel.
    kernels_[0].variant.algorithm = kernels_[2].variant.algorithm = "b";
    const Index other(kernels_, id(0), second);
    options_.select.constraints = {};
    options_.select.constraints.variants = "*.b.*";
    Plan<double, std::int32_t> plan(choose_for(a_.view(), Backend::cpu, 1), other, options_);
    EXPECT_EQ(plan.current(), id(0));
}

TEST_F(Plans, BeginsWithTheSafeKernelAndMayGoBackToTheBaseline) {
    kernels_ = {kernel(fake::right, 100, 1, 0), kernel(fake::right, 130, 1, 200)};
    options_.select.models = {&honest_};
    options_.may_wait = true;
    const auto second = [&](const Outline&) { return id(1); };
    const Index index(kernels_, id(0), second);
    Plan<double, std::int32_t> plan(choose_for(a_.view(), Backend::cpu, 1), index, options_);
    EXPECT_EQ(plan.current(), id(1));
    for (int n = 0; n < 40; ++n) plan.apply(1, x_.data(), 0, y_.data());
    EXPECT_EQ(plan.current(), id(0)) << plan.why();
    // Where there is no memory for it, the baseline needs none.
    kernels_[1] = kernel(fake::too_large, 130, 1, 200);
    const Index full(kernels_, id(0), second);
    Plan<double, std::int32_t> poor(choose_for(a_.view(), Backend::cpu, 1), full, options_);
    EXPECT_EQ(poor.current(), id(0));
}

}  // namespace
}  // namespace sptune::tuner
