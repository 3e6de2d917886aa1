// What a contract may spend, and what has to wait for it.
#include "tests/tuner/contract_life.hpp"

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

TEST(ContractAccount, WhatChoosingTookIsSpent) {
    const Past past{2, {100, 100}, 500};
    const Contract contract({}, 100, {{50, 1000}}, past);
    EXPECT_DOUBLE_EQ(contract.balance_us(), (10 + 0.05 * 2) * 100 - 500);
}

TEST(ContractAccount, AConversionInAdvanceLeavesTheFirstCallItsShare) {
    Terms terms;
    terms.expected_calls = 100;  // 15 calls to spare, of which a cold one may take one and a half
    EXPECT_EQ(Contract(terms, 100, {{20, 1300}}).in_advance(), 1);
    EXPECT_EQ(Contract(terms, 100, {{20, 1400}}).in_advance(), 0);
}

TEST(ContractAccount, WhatNeedsNoConversionWaitsForItsWorstCalls) {
    Terms terms;
    terms.grace_calls = 1;  // three calls may each take half as long again
    Contract contract(terms, 100, {{110, 0}});
    int calls = 0;
    for (; calls < 100 && contract.next().run == 0; ++calls) contract.called(100);
    EXPECT_GE(calls, 10);
    EXPECT_LE(calls, 14);
}

TEST(ContractAccount, CallsAtRestEarnNoShareThatWasSpentInAdvance) {
    Terms terms;
    terms.expected_calls = 1000;
    Contract contract(terms, 100, {});
    const double before = contract.balance_us();
    contract.rested(1000);
    EXPECT_DOUBLE_EQ(contract.balance_us(), before);
    contract.rested(100);
    EXPECT_DOUBLE_EQ(contract.balance_us(), before + 5 * 100);
}

TEST(ContractAccount, WhatIsWatchedIsNeverAtRest) {
    for (const bool watch : {true, false}) {
        Terms terms;
        terms.watch = watch;
        const Truth truth{100, {{50, 100}}};
        Contract contract(terms, 100, truth.offers);
        const Outcome out = live(contract, truth, truth.offers, 300);
        EXPECT_EQ(out.active, 1);
        EXPECT_TRUE(out.settled);
        EXPECT_EQ(contract.at_rest(), !watch);
    }
}

TEST(ContractAccount, ADisturbedCallIsNotHeldAgainstTheNextTrial) {
    Terms terms;
    terms.grace_calls = 100;
    Contract contract(terms, 100, {{50, 100, 1}, {55, 100, 2}});
    int made[3] = {};
    for (int n = 0; n < 500; ++n) {
        Contract::Step step = contract.next();
        for (; step.convert; step = contract.next()) contract.converted(step.run, 100);
        const bool disturbed = ++made[step.run] == 3 && step.run > 0;
        const double us = disturbed ? 400 : step.run == 0 ? 100 : step.run == 1 ? 99 : 50;
        contract.called(step.timed ? us : 0);
    }
    EXPECT_TRUE(contract.dropped(1));
    EXPECT_EQ(contract.active(), 2);
}

TEST(ContractAccount, SaysWhatItCouldNotAffordToTry) {
    for (const double us : {4000.0, 120.0}) {  // the former leaves nothing for another call
        const Truth truth{100, {{us, 300}}};
        Contract contract({}, 100, {{50, 300}});
        live(contract, truth, {{50, 300}}, 100);
        EXPECT_TRUE(contract.dropped(1)) << us;
        EXPECT_EQ(contract.unaffordable(1), us > 1000) << us;
    }
}

TEST(ContractAccount, ConversionsAreOffTogether) {
    // The first takes as long as predicted, or eight times as long: so may the second.
    const auto second_after = [](double first_us) {
        Terms terms;
        terms.grace_calls = 1000;
        Contract contract(terms, 100, {{60, 200, 1}, {40, 200, 2}});
        for (int calls = 0, conversions = 0; calls < 10'000; ++calls) {
            Contract::Step step = contract.next();
            for (; step.convert; step = contract.next()) {
                if (++conversions == 2) return calls;
                contract.converted(step.run, first_us);
            }
            contract.called(step.timed ? (step.run ? 60 : 100) : 0);
        }
        return 0;
    };
    const int as_predicted = second_after(200), late = second_after(1600);
    EXPECT_GT(as_predicted, 0);
    EXPECT_GT(late, 3 * as_predicted);
}

TEST(ContractAccount, WhatAllPayForIsForgiven) {
    // Everything takes four times as long from some call on: no debt of the offer is left once
    // plain CSR has shown that it does, too.
    Truth truth{100, {{50, 100}}};
    const auto predicted = truth.offers;
    Contract contract({}, 100, predicted);
    live(contract, truth, predicted, 30);
    ASSERT_EQ(contract.active(), 1);
    truth.plain_us = 1600, truth.offers[0].call_us = 800;
    while (contract.compared() == 0) live(contract, truth, predicted, 1);
    const double before = contract.balance_us();
    while (contract.compared() == 1) live(contract, truth, predicted, 1);
    EXPECT_EQ(contract.active(), 1);
    EXPECT_GT(contract.balance_us(), before + 500);
}

TEST(ContractAccount, TheFirstCallOfWhatIsTrustedDoesNotCount) {
    // It has met nothing in the caches. The others are within the promise, if barely.
    Terms terms;
    terms.trusted = true;
    terms.doubted = 1.05;
    Contract contract(terms, 100, {{50, 1000}});
    constexpr double kCalls[] = {300, 90, 104, 107};
    for (int made = 0, n = 0; made < 4 && n < 100; ++n) {
        Contract::Step step = contract.next();
        for (; step.convert; step = contract.next()) contract.converted(step.run, 1000);
        contract.called(step.timed ? (step.run ? kCalls[made++] : 100) : 0);
    }
    EXPECT_EQ(contract.compared(), 0);
    EXPECT_EQ(contract.active(), 1);
}

}  // namespace
}  // namespace sptune::tuner
