// What the calls of a plan cost, and which kernel they end up with.
#include "tests/tuner/plans.hpp"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

TEST_F(Plans, TheTruthPays) {
    add(40, 1000);
    add(60, 200);
    for (const double expected : {0.0, 200.0}) {
        options_.select.calls = expected;
        const Life life = live(honest_, 200);
        EXPECT_EQ(life.current, id(1)) << life.why;
        EXPECT_LT(life.total_us, 0.7 * 200 * 100) << expected;
    }
}

TEST_F(Plans, LyingPredictionsCostNoMoreThanPromised) {
    // Everything is said to be five times faster than plain CSR, the worst most of all, and to cost
    // nothing; the conversion of that one takes as long as 30 calls, and its calls 20 times as
    // long.
    add(300, 400);
    add(120, 1500);
    add(2000, 3000);
    const fake::Model liar([](const Variant& v) {
        const bool plain = get(v.params, "v") == 0;
        return models::Prediction{plain ? 100.0 : 20.0 - real_time(v) / 1000, plain ? 0.0 : 1.0};
    });
    const double overrun = 3000 + 1900;
    for (const auto online : {Online::automatic, Online::always}) {
        options_.online = online;
        for (const double expected : {0.0, 1.0})
            for (const int calls : {1, 2, 5, 10, 50, 200, 1000, 3000}) {
                options_.select.calls = expected * calls;
                const Terms& t = options_.terms;
                const Life life = live(liar, calls);
                const double promise = ((1 + t.epsilon) * calls + t.grace_calls) * 100 + overrun;
                EXPECT_LE(life.total_us, promise) << calls << " calls: " << life.why;
                if (calls >= 200) {
                    EXPECT_EQ(life.current, id(0)) << life.why;
                }
            }
    }
    // Whoever believes it pays for it: the test could fail.
    options_.online = Online::never;
    options_.select.calls = 1000;
    EXPECT_GT(live(liar, 1000).total_us, 2 * 1000 * 100);
}

TEST_F(Plans, OneThatIsInvalidRefusesEveryCall) {
    add(40, 1000);
    options_.select.models = {&honest_};
    const Index index(kernels_, kernels_[0].variant.id());
    for (int before = 0; before < 40; ++before) {
        Plan<double, std::int32_t> plan(choose_for(a_.view(), Backend::cpu, 1), index, options_);
        for (int n = 0; n < before; ++n) plan.apply(1, x_.data(), 0, y_.data());
        plan.invalidate();
        for (int n = 0; n < 3; ++n)
            EXPECT_THROW(plan.apply(1, x_.data(), 0, y_.data()), Error) << before;
        plan.update_values(a_.values.data());
        plan.apply(2, x_.data(), 0, y_.data());
        expect_right(2, 0);
    }
}

TEST_F(Plans, TheSecondChoiceMayBeTheBestOne) {
    add(150, 300);
    add(30, 300);
    const fake::Model mistaken([](const Variant& v) {
        return models::Prediction{real_time(v) == 100   ? 100.0
                                  : real_time(v) == 150 ? 50.0
                                                        : 60.0,
                                  real_conversion(v)};
    });
    const Life life = live(mistaken, 500);
    EXPECT_EQ(life.current, id(2)) << life.why;
    EXPECT_NE(life.why.find("was dropped"), std::string::npos) << life.why;
}

TEST_F(Plans, OtherAlgorithmsAreTriedRatherThanSiblings) {
    for (const int call_us : {150, 151, 152, 153, 154, 155}) {  // said to be the best, and alike
        kernels_.push_back(kernel(fake::right, call_us, 1, 100));
        kernels_.back().variant.algorithm = "siblings";
    }
    add(30, 300);
    const fake::Model mistaken([](const Variant& v) {
        const double t = real_time(v);
        return models::Prediction{t == 100  ? 100.0
                                  : t == 30 ? 70.0
                                            : 50.0 + t / 1000,
                                  real_conversion(v)};
    });
    const Life life = live(mistaken, 500);
    EXPECT_EQ(life.current, id(7)) << life.why;
}

TEST_F(Plans, NewValuesAreTakenOver) {
    add(40, 1000);
    options_.select.models = {&honest_};
    const Index index(kernels_, kernels_[0].variant.id());
    for (const int calls : {1, 5, 100}) {
        Plan<double, std::int32_t> plan(choose_for(a_.view(), Backend::cpu, 1), index, options_);
        Buffer<double> values(a_.values.size());
        for (int step = 0; step < 30; ++step) {
            for (std::size_t k = 0; k < values.size(); ++k)
                a_.values[k] = values[k] = 1 + 0.1 * step + static_cast<double>(k);
            plan.update_values(values.data());
            for (int n = 0; n < calls; ++n) {
                for (index_t i = 0; i < 4; ++i) y_[i] = i;
                plan.apply(1, x_.data(), 1, y_.data());
                expect_right(1, 1);
            }
        }
        EXPECT_EQ(plan.current(), calls == 100 ? id(1) : plan.current());
    }
}

TEST_F(Plans, SayWhatTheyHoldBesideTheMatrix) {
    add(40, 500);
    options_.select.models = {&honest_};
    const Index index(kernels_, kernels_[0].variant.id());
    Plan<double, std::int32_t> plan(choose_for(a_.view(), Backend::cpu, 1), index, options_);
    EXPECT_EQ(plan.bytes_beside(), 0u);
    const std::vector<double> x(4);
    std::vector<double> y(4);
    for (int call = 0; call < 200; ++call) plan.apply(1, x.data(), 0, y.data());
    ASSERT_EQ(plan.current(), id(1));
    EXPECT_EQ(plan.bytes_beside(),
              static_cast<std::uint64_t>(get(kernels_[1].variant.params, "b")));
}

TEST_F(Plans, WhatHasLostIsGivenBack) {
    add(150, 300);
    const fake::Model liar([](const Variant& v) {
        return models::Prediction{real_time(v) == 100 ? 100.0 : 50.0, real_conversion(v)};
    });
    options_.select.models = {&liar};
    const Index index(kernels_, kernels_[0].variant.id());
    Plan<double, std::int32_t> plan(choose_for(a_.view(), Backend::cpu, 1), index, options_);
    for (int n = 0; n < 500; ++n) plan.apply(1, x_.data(), 0, y_.data());
    ASSERT_NE(plan.why().find("was dropped"), std::string::npos) << plan.why();
    EXPECT_EQ(plan.bytes_beside(), 0u);
    EXPECT_EQ(static_cast<int>(fake::live_bytes), get(kernels_[0].variant.params, "b"));
}

TEST_F(Plans, CallsAtRestSpeakForAnotherConversion) {
    add(40, 5000);
    options_.online = Online::never;
    options_.select.models = {&honest_};
    const Index index(kernels_, kernels_[0].variant.id());
    Plan<double, std::int32_t> plan(choose_for(a_.view(), Backend::cpu, 1), index, options_);
    for (int step = 0; step < 3; ++step) {
        for (int n = 0; n < 500; ++n) plan.apply(1, x_.data(), 0, y_.data());
        ASSERT_EQ(plan.current(), id(1));
        plan.update_values(a_.values.data());
        EXPECT_EQ(plan.current(), id(1)) << "at once";
    }
}

TEST_F(Plans, CallsAtRestAreCounted) {
    add(40, 500);
    options_.online = Online::never;
    options_.select.calls = 100;
    const Life life = live(honest_, 2500);
    EXPECT_TRUE(life.settled);
    EXPECT_NE(life.why.find("After 2,500 calls"), std::string::npos) << life.why;
}

TEST_F(Plans, ThreadsShareAPlan) {
    const Csr<double> a = fake::matrix();
    const Chooser<double, std::int32_t> chooser = choose_for(a.view(), Backend::cpu, 1);
    const PlanOptions options;
    Plan<double, std::int32_t> plan(chooser, Index::of(Backend::cpu), options);
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            Buffer<double> x(4), y(4), expected(4);
            for (index_t i = 0; i < 4; ++i) {
                x[i] = t + i;
                expected[i] = 0;
            }
            for (index_t i = 0; i < 4; ++i)
                for (int k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
                    expected[i] += a.values[k] * x[static_cast<std::size_t>(a.col_idx[k])];
            for (int n = 0; n < 500; ++n) {
                plan.apply(1, x.data(), 0, y.data());
                for (index_t i = 0; i < 4; ++i) wrong += std::abs(y[i] - expected[i]) > 1e-12;
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace sptune::tuner
