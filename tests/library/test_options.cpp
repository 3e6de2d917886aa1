// What the tuner gets to know of a plan's options.
#include "kernels/registry.hpp"
#include "library/options.hpp"
#include "matrix/error.hpp"
#include "tuner/select.hpp"

#include <cstdlib>
#include <limits>

#include <gtest/gtest.h>

namespace sptune::library {
namespace {

tuner::PlanOptions taken(const plan_options& options, Backend backend = Backend::cpu) {
    return plan_options_of(options, backend, ValueType::f64, IndexType::i32);
}

TEST(LibraryOptions, AllOfThemReachTheTuner) {
    plan_options o;
    o.expected_calls = 70;
    o.deterministic = true;
    o.memory_bytes = 1000;
    o.longest_conversion_us = 30;
    o.error_bound = 1e-9;
    o.variants = "*.sell.*";
    o.online = online::always;
    o.epsilon = 0.2;
    o.grace_calls = 4;
    o.threads = 3;
    const tuner::PlanOptions p = taken(o);
    EXPECT_EQ(p.select.calls, 70);
    EXPECT_EQ(p.select.threads, 3);
    const tuner::Constraints& c = p.select.constraints;
    EXPECT_TRUE(c.deterministic);
    EXPECT_EQ(c.memory_bytes, 1000u);
    EXPECT_EQ(c.convert_us, 30);
    EXPECT_EQ(c.error, 1e-9);
    EXPECT_EQ(c.variants, "*.sell.*");
    EXPECT_EQ(p.online, tuner::Online::always);
    EXPECT_EQ(p.terms.epsilon, 0.2);
    EXPECT_EQ(p.terms.grace_calls, 4);
}

TEST(LibraryOptions, WhatNobodyAskedForIsNoConstraint) {
    for (const Backend backend : {Backend::cpu, Backend::cuda}) {
        const tuner::PlanOptions p = taken({}, backend);
        EXPECT_TRUE(p.select.constraints.are_none());
        EXPECT_EQ(p.online, tuner::Online::automatic);
        EXPECT_EQ(p.terms.epsilon, 0.05);
        EXPECT_EQ(p.terms.grace_calls, backend == Backend::cpu ? 25 : 10);
    }
    plan_options o;
    o.grace_calls = 0;  // is a number of calls, unlike -1
    o.online = online::never;
    EXPECT_EQ(taken(o).terms.grace_calls, 0);
    EXPECT_EQ(taken(o).online, tuner::Online::never);
}

TEST(LibraryOptions, GraphsAreThoseOfAGpuAndCannotBeTried) {
    plan_options o;
    o.in_graphs = true;
    EXPECT_FALSE(taken(o).select.in_graphs) << "without effect on a CPU";
    EXPECT_TRUE(taken(o, Backend::cuda).select.in_graphs);
    o.online = online::always;
    EXPECT_THROW(taken(o, Backend::cuda), UsageError);
    o.online = online::never;
    EXPECT_NO_THROW(taken(o, Backend::cuda));
}

TEST(LibraryOptions, WithSptuneOffPlainCsrIsLeft) {
    setenv("SPTUNE_MODE", "off", 1);
    const tuner::PlanOptions p = taken({});
    unsetenv("SPTUNE_MODE");
    EXPECT_EQ(p.select.constraints.variants,
              spmv_baseline_id(Backend::cpu, ValueType::f64, IndexType::i32));
    EXPECT_TRUE(p.select.models && p.select.models->empty());
}

TEST(LibraryOptions, AnotherBackendIsAConstraintThatCannotBeMet) {
    plan_options o;
    o.backend = backend::cuda;
    EXPECT_THROW(taken(o), tuner::Unmet);
    EXPECT_NO_THROW(taken(o, Backend::cuda));
    o.backend = backend::cpu;
    EXPECT_THROW(taken(o, Backend::cuda), tuner::Unmet);
    o.backend = static_cast<backend>(17);
    EXPECT_THROW(taken(o), UsageError);
}

TEST(LibraryOptions, NumbersThatMakeNoSenseAreRefused) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN(),
                     kInfinity = std::numeric_limits<double>::infinity();
    const auto refused = [](double plan_options::*option, double value) {
        plan_options o;
        o.*option = value;
        EXPECT_THROW(taken(o), UsageError) << value;
    };
    for (const double bad : {-1.0, kNan, kInfinity}) {
        refused(&plan_options::expected_calls, bad);
        refused(&plan_options::epsilon, bad);
    }
    refused(&plan_options::epsilon, 0);
    refused(&plan_options::grace_calls, kNan);
    for (const double bad : {-1.0, kNan}) {
        refused(&plan_options::error_bound, bad);
        refused(&plan_options::longest_conversion_us, bad);
    }
}

}  // namespace
}  // namespace sptune::library
