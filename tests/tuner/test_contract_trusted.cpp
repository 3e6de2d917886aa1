// What a database has measured is used at once, and held against plain CSR in its first calls.
#include "matrix/counter_random.hpp"
#include "tests/tuner/contract_life.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

Terms trusted_terms(double expected_calls = 0) {
    Terms terms;
    terms.trusted = true;
    terms.doubted = 1.05;
    terms.expected_calls = expected_calls;
    return terms;
}

TEST(TrustedContract, WhatIsTrueIsUsedAndSoonAtRest) {
    for (const double expected : {0.0, 1000.0}) {
        const Truth truth{100, {{50, 1000}, {60, 100}}};
        Contract contract(trusted_terms(expected), 100, truth.offers);
        const Outcome out = live(contract, truth, truth.offers, 30);
        EXPECT_EQ(out.active, 1);
        EXPECT_EQ(out.conversions, 1) << "nothing else is tried";
        EXPECT_TRUE(contract.at_rest());
    }
}

TEST(TrustedContract, CallsAreTimedUntilItIsKnown) {
    Contract contract(trusted_terms(), 100, {{50, 1000}});
    int timed = 0;
    for (int n = 0; n < 100; ++n) {
        const Contract::Step step = contract.next();
        if (step.convert) contract.converted(step.run, 1000);
        timed += step.timed;
        contract.called(step.timed ? (step.run ? 50 : 100) : 0);
        if (timed < 8) {
            EXPECT_FALSE(contract.at_rest());
            EXPECT_FALSE(contract.settled() && contract.active() == 1);
        }
    }
    EXPECT_EQ(timed, 8) << "of each one with cold caches, and three";
    EXPECT_EQ(contract.active(), 1);
}

TEST(TrustedContract, LiesEndInTheBestThatIsLeft) {
    for (const double expected : {0.0, 2000.0}) {
        const std::vector<Offer> stored{{10, 200}, {40, 300}};
        // Slower than plain CSR; and faster than a plain CSR that is faster than was stored.
        for (const Truth& truth :
             {Truth{100, {{160, 200}, {40, 300}}}, Truth{30, {{33, 200}, {12, 300}}}}) {
            Contract contract(trusted_terms(expected), 100, stored);
            const Outcome out = live(contract, truth, stored, 2000);
            EXPECT_EQ(out.active, 2) << truth.plain_us;
            EXPECT_TRUE(out.settled);
            EXPECT_LT(out.total_us, 0.55 * 2000 * truth.plain_us);
        }
    }
}

TEST(TrustedContract, WithNothingElseLiesEndInPlainCsr) {
    Contract contract(trusted_terms(), 100, {{1, 100}});
    const Truth truth{100, {{1000, 100}}};
    const Outcome out = live(contract, truth, {{1, 100}}, 1000);
    EXPECT_EQ(out.active, 0);
    EXPECT_TRUE(contract.at_rest());
    EXPECT_LE(out.total_us, 1000 * 100 + 100 + 3 * 900);
}

TEST(TrustedContract, AFewHeldUpCallsAreNoReasonToDropIt) {
    const std::vector<Offer> stored{{50, 100}};
    Contract contract(trusted_terms(1000), 100, stored);
    // Something else runs on the machine for a while.
    live(contract, {300, {{150, 100}}}, stored, 6);
    EXPECT_EQ(live(contract, {100, stored}, stored, 100).active, 1);
}

TEST(TrustedContract, ALittleDoubtIsNone) {
    // Single calls tell less than a measurement: 4 % more than plain CSR is within the promise.
    for (const double expected : {0.0, 1000.0}) {
        const Truth truth{100, {{104, 200}, {50, 300}}};
        const std::vector<Offer> stored{{40, 200}, {50, 300}};
        Contract contract(trusted_terms(expected), 100, stored);
        EXPECT_EQ(live(contract, truth, stored, 1000).active, 1);
    }
}

TEST(TrustedContract, NewValuesInTheMidstOfTheComparisonHideNothing) {
    const std::vector<Offer> stored{{10, 40}, {40, 40}};
    for (const bool lie : {true, false})
        for (int before = 0; before < 12; ++before) {
            const Truth truth{100, {{lie ? 160.0 : 10.0, 40}, {40, 40}}};
            Contract contract(trusted_terms(1000), 100, stored);
            live(contract, truth, stored, before);
            if (const int which = contract.values_changed()) contract.converted(which, 40);
            EXPECT_EQ(live(contract, truth, stored, 5000).active, lie ? 2 : 1) << before;
            EXPECT_TRUE(contract.settled()) << before;
        }
}

TEST(TrustedContract, WhatIsSettledIsInUseAndStaysSo) {
    for (const double us : {40.0, 70.0, 300.0})
        for (const double expected : {0.0, 500.0}) {
            const std::vector<Offer> stored{{40, 200}, {50, 200}};
            const Truth truth{100, {{us, 200}, {50, 200}}};
            Contract contract(trusted_terms(expected), 100, stored);
            int settled_with = -1;
            live(contract, truth, stored, 0);
            for (int n = 0; n < 300; ++n) {
                live(contract, truth, stored, 1);
                if (settled_with < 0 && contract.settled()) settled_with = contract.active();
                if (settled_with >= 0) {
                    ASSERT_EQ(contract.active(), settled_with) << us << ", call " << n;
                    ASSERT_TRUE(contract.settled()) << us << ", call " << n;
                }
            }
            EXPECT_EQ(settled_with, us > 100 ? 2 : 1);
        }
}

TEST(TrustedContract, OneThatCannotBeConvertedLeavesTheOthers) {
    for (const double expected : {0.0, 1000.0}) {
        const std::vector<Offer> stored{{20, 200}, {40, 200}};
        Contract contract(trusted_terms(expected), 100, stored);
        int refusals = 0;
        const auto convert = [&](int which) {
            if (which != 1) return contract.converted(which, 200);
            ++refusals;
            contract.refused(which, 150);
        };
        for (int which = contract.in_advance(); which;
             which = which == 1 ? contract.in_advance() : 0)
            convert(which);
        for (int n = 0; n < 500; ++n) {
            Contract::Step step = contract.next();
            for (; step.convert; step = contract.next()) convert(step.run);
            contract.called(step.timed ? (step.run ? 40 : 100) : 0);
        }
        EXPECT_EQ(refusals, 1);
        EXPECT_EQ(contract.active(), 2);
    }
}

TEST(TrustedContract, ColdCallsOfPlainCsrDoNotSpeakForIt) {
    // Plain CSR takes twice as long until it has settled, and less than what is trusted then.
    Terms terms = trusted_terms();
    terms.settling = 10;
    Contract contract(terms, 100, {{80, 100}, {25, 100}});
    double plain_us = 120;
    for (int n = 0; n < 1000; ++n) {
        Contract::Step step = contract.next();
        for (; step.convert; step = contract.next()) contract.converted(step.run, 100);
        if (step.run == 0) plain_us = std::max(50.0, plain_us - 10);
        const double us = step.run == 0 ? plain_us : step.run == 1 ? 80 : 25;
        contract.called(step.timed ? us : 0);
    }
    EXPECT_EQ(contract.active(), 2);
}

TEST(TrustedContract, WhatIsFarFasterIsSoonKnownToBe) {
    // Where calls settle as well: three of plain CSR tell.
    for (const int settling : {1, 10}) {
        Terms terms = trusted_terms(1000);
        terms.settling = settling;
        const Truth truth{100, {{30, 1000}}};
        Contract contract(terms, 100, truth.offers);
        EXPECT_EQ(live(contract, truth, truth.offers, 100).total_us, 1000 + 97 * 30 + 3 * 100);
        EXPECT_TRUE(contract.at_rest());
    }
}

TEST(TrustedContract, LiesCostNoMoreThanAConversionAndSomeCalls) {
    Stream random(11, 0);
    const auto log_uniform = [&](double low, double high) {
        return low * std::pow(high / low, random.uniform());
    };
    for (int trial = 0; trial < 20000; ++trial) {
        const long long calls = static_cast<long long>(log_uniform(1, 3000));
        Terms terms = trusted_terms(random.uniform() < 0.4 ? static_cast<double>(calls) : 0);
        terms.watch = random.uniform() < 0.5;
        if (random.uniform() < 0.4) terms.settling = 10;
        Truth truth{log_uniform(1, 1000), {}};
        const double plain_stored = truth.plain_us * log_uniform(0.02, 50);
        std::vector<Offer> stored;
        for (int i = 1 + static_cast<int>(4 * random.uniform()); i > 0; --i) {
            stored.push_back(
                {plain_stored * log_uniform(0.1, 1.2), plain_stored * log_uniform(0.1, 100)});
            truth.offers.push_back({stored.back().call_us * log_uniform(0.02, 50),
                                    stored.back().convert_us * log_uniform(0.02, 50)});
        }
        Contract contract(terms, plain_stored, stored);
        std::vector<Offer> in_this_measure = stored;
        for (Offer& offer : in_this_measure) offer.convert_us *= truth.plain_us / plain_stored;
        const Outcome out = live(contract, truth, in_this_measure, calls);
        // Three of what is trusted until that is known, or more where calls have to settle, and one
        // of what is tried then.
        const int worst_calls = 3 + terms.settling;
        EXPECT_LE(out.total_us, promise(terms, truth, static_cast<double>(calls)) +
                                    truth.offers[0].convert_us + out.convert_us +
                                    worst_calls * out.call_us + 1e-6)
            << "trial " << trial << ": " << calls << " calls, " << out.conversions
            << " conversions";
    }
}

/// What is recorded in a graph cannot change later.
TEST(TrustedContract, ClosedKeepsWhatIsActive) {
    Terms terms;
    terms.trusted = true;
    terms.expected_calls = 100;
    // Never, in advance, and not in advance though it would pay after more calls.
    const std::pair<Offer, int> cases[] = {{{100, 0}, 0}, {{50, 1000}, 1}, {{90, 5000}, 0}};
    for (const auto& [offer, active] : cases) {
        Contract contract(terms, 100, {offer});
        if (const int which = contract.in_advance()) contract.converted(which, offer.convert_us);
        contract.close();
        EXPECT_TRUE(contract.settled()) << offer.call_us;
        EXPECT_TRUE(contract.at_rest()) << offer.call_us;
        for (int call = 0; call < 1000; ++call) {
            const Contract::Step step = contract.next();
            ASSERT_EQ(step.run, active) << offer.call_us;
            ASSERT_FALSE(step.convert || step.timed);
            contract.called(0);
        }
    }
}

}  // namespace
}  // namespace sptune::tuner
