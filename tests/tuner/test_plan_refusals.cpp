// Kernels that a plan cannot use after all.
#include "tests/tuner/plans.hpp"

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

TEST_F(Plans, WhatCannotBeConvertedIsLeftOut) {
    add(10, 100, fake::too_large);
    add(20, 100, fake::throws);
    add(50, 100);
    for (const double expected : {0.0, 300.0}) {
        options_.select.calls = expected;
        const Life life = live(honest_, 300);
        EXPECT_EQ(life.current, id(3)) << life.why;
        EXPECT_TRUE(life.settled);
        EXPECT_NE(life.why.find("could not be used"), std::string::npos) << life.why;
    }
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
    add_of(60, 300), add_of(40, 400);
    // The slower one is believed to be the faster one, so that it is converted first.
    const fake::Model liar([](const Variant& v) {
        return models::Prediction{v.algorithm == "a" ? 100 : 56 - real_time(v) / 10,
                                  real_conversion(v)};
    });
    options_.select.constraints.memory_bytes = 600;
    Life life = live(liar, 500);
    EXPECT_EQ(life.current, id(1)) << life.why;
    EXPECT_NE(life.why.find("it needs 400 bytes, and 300 of the 600 allowed are in use"),
              std::string::npos)
        << life.why;
    options_.select.constraints.memory_bytes = 700;
    life = live(liar, 500);
    EXPECT_EQ(life.current, id(2)) << life.why;
}

TEST_F(Plans, WhatTakesMoreThanTheCapIsGivenBack) {
    add(50, 10);
    kernels_.back().variant.params[2].value = 5000;
    kernels_.back().variant.layout = to_string(kernels_.back().variant.params);
    kernels_.back().inspect = [](CsrView<double>, const Features&, const Params&) {
        Footprint f;
        f.storage_bytes = 100;
        return f;
    };
    options_.select.constraints.memory_bytes = 600;
    Life life = live(honest_, 100);
    EXPECT_EQ(life.current, id(0));
    EXPECT_NE(life.why.find("turned out to hold 5000 bytes beside A, and 600 are allowed"),
              std::string::npos)
        << life.why;
    options_.select.models = {&honest_};
    options_.select.constraints.variants = id(1);
    const Index index(kernels_, kernels_[0].variant.id());
    EXPECT_THROW(
        (Plan<double, std::int32_t>(choose_for(a_.view(), Backend::cpu, 1), index, options_)),
        Unmet)
        << "there is nothing else";
    options_.select.constraints.variants = "*";
    options_.select.constraints.memory_bytes = 5000;
    life = live(honest_, 100);
    EXPECT_EQ(life.current, id(1)) << life.why;
}

TEST_F(Plans, WhatTurnsOutManyTimesLargerIsGivenBack) {
    add(50, 10);
    kernels_.back().variant.params[2].value = 100'000;
    kernels_.back().variant.layout = to_string(kernels_.back().variant.params);
    kernels_.back().inspect =
        kernels_.front().inspect = [](CsrView<double>, const Features&, const Params&) {
            Footprint f;
            f.storage_bytes = 100;
            return f;
        };
    const Life life = live(honest_, 100);
    EXPECT_EQ(life.current, id(0));
    EXPECT_NE(life.why.find("many times larger than plain CSR"), std::string::npos) << life.why;
}

TEST_F(Plans, NothingGoesOnWithValuesOfBefore) {
    add(50, 10);
    static int left;
    kernels_[0].convert = [](CsrView<double> a, const Params& p, int) {
        if (left-- == 0) throw OutOfMemory("a fake", 1);
        return kernel(fake::right, get(p, "t")).convert(a, p, 1);
    };
    options_.select.models = {&honest_};
    const Index index(kernels_, kernels_[0].variant.id());
    for (const Online online : {Online::automatic, Online::never}) {  // the latter is at rest
        left = 1;
        options_.online = online;
        Plan<double, std::int32_t> plan(choose_for(a_.view(), Backend::cpu, 1), index, options_);
        for (int n = 0; n < 300; ++n) plan.apply(1, x_.data(), 0, y_.data());
        ASSERT_EQ(plan.current(), id(1));
        const Buffer<double> other(10, 7.0);
        EXPECT_THROW(plan.update_values(other.data()), OutOfMemory);
        EXPECT_THROW(plan.apply(1, x_.data(), 0, y_.data()), Error) << "the other kernel is in use";
    }
}

TEST_F(Plans, WhatCannotBeLookedAtIsPassedOver) {
    add(50, 10);
    kernels_[1].inspect = [](CsrView<double>, const Features&, const Params&) -> Footprint {
        throw OutOfMemory("a list on the GPU", 123);
    };
    options_.select.calls = 1000;
    const Life life = live(honest_, 50);
    EXPECT_EQ(life.current, id(0));
    EXPECT_NE(life.why.find("cannot be looked at: a list on the GPU"), std::string::npos)
        << life.why;
}

TEST_F(Plans, WhereOnlyOneKernelMayBeUsedTheNextOneStandsIn) {
    add(50, 10, fake::throws);
    add(60, 10);
    options_.select.calls = 1000;
    options_.select.constraints.deterministic = true;
    const Life life = live(honest_, 50);
    EXPECT_EQ(life.current, id(2));
    EXPECT_NE(life.why.find(id(1) + " could not be used: a bug"), std::string::npos) << life.why;
}

}  // namespace
}  // namespace sptune::tuner
