// Plans over kernels that take what they say on a clock of their own, with models that lie.
#include "tests/db/scratch.hpp"
#include "tests/tuner/fake.hpp"
#include "tests/tuner/fake_model.hpp"
#include "tuner/plan.hpp"

#include <algorithm>
#include <thread>

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

using fake::kernel;
using Kernel = SpmvKernel<double, std::int32_t>;
using Index = KernelIndex<double, std::int32_t>;

class Plans : public testing::Test {
  protected:
    Csr<double> a_ = fake::matrix();
    std::vector<Kernel> kernels_{kernel(fake::right, 100, 1, 0)};
    PlanOptions options_;
    Buffer<double> x_{4, 1.5}, y_{4, 0.0};

    void SetUp() override { options_.select.clock = fake::clock; }

    /// Different algorithms, so that all of them are offered.
    void add(int call_us, int convert_us, int kind = fake::right) {
        kernels_.push_back(kernel(kind, call_us, 1, convert_us));
        kernels_.back().variant.algorithm =
            std::string(1, static_cast<char>('a' + kernels_.size()));
    }
    struct Life {
        double total_us = 0;
        std::string current, why;
        bool settled = false;
    };
    /// Makes a plan and `calls` calls, each of which is checked.
    Life live(const fake::Model& model, int calls) {
        options_.select.models = {&model};
        const Index index(kernels_, kernels_[0].variant.id());
        const double start = fake::now_us;
        Plan<double, std::int32_t> plan(choose_for(a_.view(), Backend::cpu, 1), index, options_);
        for (int n = 0; n < calls; ++n) {
            const double beta = n % 3 == 0 ? 0 : 0.5;
            for (index_t i = 0; i < 4; ++i) y_[i] = beta == 0 ? 0.0 / 0.0 : i;
            plan.apply(2, x_.data(), beta, y_.data());
            expect_right(2, beta);
        }
        return {fake::now_us - start, plan.current(), plan.why(), plan.settled()};
    }
    void expect_right(double alpha, double beta) {
        for (index_t i = 0; i < 4; ++i) {
            double sum = 0;
            for (int k = a_.row_ptr[i]; k < a_.row_ptr[i + 1]; ++k)
                sum += a_.values[k] * x_[static_cast<std::size_t>(a_.col_idx[k])];
            EXPECT_DOUBLE_EQ(y_[i], alpha * sum + (beta == 0 ? 0 : beta * i));
        }
    }
    std::string id(std::size_t i) const { return kernels_[i].variant.id(); }
};

double real_time(const Variant& v) {
    return get(v.params, "t");
}
double real_conversion(const Variant& v) {
    return get(v.params, "v");
}

TEST_F(Plans, TheTruthPays) {
    add(40, 1000);
    add(60, 200);
    const fake::Model honest([](const Variant& v) {
        return models::Prediction{real_time(v), real_conversion(v)};
    });
    for (const double expected : {0.0, 200.0}) {
        options_.select.calls = expected;
        const Life life = live(honest, 200);
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

TEST_F(Plans, WhatCannotBeConvertedIsLeftOut) {
    add(10, 100, fake::too_large);
    add(20, 100, fake::throws);
    add(50, 100);
    const fake::Model honest([](const Variant& v) {
        return models::Prediction{real_time(v), real_conversion(v)};
    });
    for (const double expected : {0.0, 300.0}) {
        options_.select.calls = expected;
        const Life life = live(honest, 300);
        EXPECT_EQ(life.current, id(3)) << life.why;
        EXPECT_TRUE(life.settled);
        EXPECT_NE(life.why.find("could not be used"), std::string::npos) << life.why;
    }
}

TEST_F(Plans, AChoiceWaitsUntilItIsCheapBesideTheCalls) {
    constexpr double kAsked = 700;  // what the model takes to answer, us
    add(40, 500);
    const fake::Model slow([&](const Variant& v) {
        if (get(v.params, "v") == 0) fake::now_us += kAsked;
        return models::Prediction{real_time(v), real_conversion(v)};
    });
    options_.may_wait = true;
    // 100 us a call: worth it soon.
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
    // What the caller insists on is chosen at once.
    options_.select.calls = 10;
    EXPECT_GE(live(slow, 1).total_us, kAsked);
}

TEST_F(Plans, AChoiceThatCameLateSaysWhatTheDatabasesKnew) {
    add(40, 500);
    const fake::Model honest([](const Variant& v) {
        return models::Prediction{real_time(v), real_conversion(v)};
    });
    options_.may_wait = true;
    EXPECT_NE(live(honest, 1).why.find("no database was asked"), std::string::npos);
    EXPECT_NE(live(honest, 60).why.find("No database was asked"), std::string::npos);
    const db::Scratch scratch;
    options_.select.databases = std::make_shared<db::Databases>(db::Store(scratch / "db"));
    Life life = live(honest, 1);
    EXPECT_NE(life.why.find("no database has measurements of this device"), std::string::npos)
        << life.why;
    life = live(honest, 60);
    EXPECT_EQ(life.current, id(1));
    EXPECT_NE(life.why.find("This matrix has not been measured on"), std::string::npos) << life.why;
    EXPECT_EQ(life.why.find("No database was asked"), std::string::npos) << life.why;
    const auto print = fingerprint(a_.view(), 1);
    db::put(scratch / "db/another-device" /
                (db::entry_key(Op::spmv, ValueType::f64, IndexType::i32, print, "warm") + ".json"),
            "");
    life = live(honest, 60);
    EXPECT_NE(life.why.find("another device (another-device) is not used"), std::string::npos)
        << life.why;
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

TEST_F(Plans, BeginsWithTheSafeKernelAndMayGoBackToTheBaseline) {
    kernels_ = {kernel(fake::right, 100, 1, 0), kernel(fake::right, 130, 1, 200)};
    const fake::Model honest([](const Variant& v) {
        return models::Prediction{real_time(v), real_conversion(v)};
    });
    options_.select.models = {&honest};
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

TEST_F(Plans, ARunnerUpIsInspectedBeforeItIsTried) {
    add(50, 0, fake::illegal);
    const fake::Model cautious([](const Variant& v) {  // nothing is expected to beat plain CSR
        return models::Prediction{get(v.params, "t") == 100 ? 100.0 : 99.0, real_conversion(v)};
    });
    const Life life = live(cautious, 100);
    EXPECT_EQ(life.current, id(0));
    EXPECT_EQ(life.total_us, 100 * 100);
    EXPECT_NE(life.why.find("against the law"), std::string::npos) << life.why;
}

TEST_F(Plans, TheCapHoldsForAllThatIsConvertedTogether) {
    const auto add_of = [&](int us, int bytes) {
        add(us, 10);
        kernels_.back().variant.params[2].value = bytes;
        kernels_.back().variant.layout = to_string(kernels_.back().variant.params);
    };
    add_of(60, 500), add_of(40, 600);
    // The slower one is believed to be the faster one, so that it is converted first.
    const fake::Model liar([](const Variant& v) {
        return models::Prediction{v.algorithm == "a" ? 100 : 56 - real_time(v) / 10,
                                  real_conversion(v)};
    });
    options_.select.constraints.memory_bytes = 1000;
    Life life = live(liar, 500);
    EXPECT_EQ(life.current, id(1)) << life.why;
    EXPECT_NE(life.why.find("it needs 600 bytes, and 500 of the 1000 allowed are in use"),
              std::string::npos)
        << life.why;
    options_.select.constraints.memory_bytes = 1100;
    life = live(liar, 500);
    EXPECT_EQ(life.current, id(2)) << life.why;
}

TEST_F(Plans, WhatCannotBeLookedAtIsPassedOver) {
    add(50, 10);
    kernels_[1].inspect = [](CsrView<double>, const Features&, const Params&) -> Footprint {
        throw OutOfMemory("a list on the GPU", 123);
    };
    const fake::Model honest([](const Variant& v) {
        return models::Prediction{real_time(v), real_conversion(v)};
    });
    options_.select.calls = 1000;
    const Life life = live(honest, 50);
    EXPECT_EQ(life.current, id(0));
    EXPECT_NE(life.why.find("cannot be looked at: a list on the GPU"), std::string::npos)
        << life.why;
}

TEST_F(Plans, WhereOnlyOneKernelMayBeUsedTheNextOneStandsIn) {
    add(50, 10, fake::throws);
    add(60, 10);
    const fake::Model honest([](const Variant& v) {
        return models::Prediction{real_time(v), real_conversion(v)};
    });
    options_.select.calls = 1000;
    options_.select.constraints.deterministic = true;
    const Life life = live(honest, 50);
    EXPECT_EQ(life.current, id(2));
    EXPECT_NE(life.why.find(id(1) + " could not be used: a bug"), std::string::npos) << life.why;
}

TEST_F(Plans, NewValuesAreTakenOver) {
    add(40, 1000);
    const fake::Model honest([](const Variant& v) {
        return models::Prediction{real_time(v), real_conversion(v)};
    });
    options_.select.models = {&honest};
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
