#include "cli/patience.hpp"

#include <gtest/gtest.h>

namespace sptune::cli {
namespace {

TEST(Patience, WhoAsksForAnEndGetsItSoon) {
    const Patience patience;
    Flight flight{};
    flight.busy = true;
    EXPECT_EQ(patience.limit_s(flight, false), 3600);
    flight.first_turn_s = 0.1;
    EXPECT_EQ(patience.limit_s(flight, false), 80);
    EXPECT_EQ(patience.limit_s(flight, true), 15);
    flight.busy = false;
    EXPECT_EQ(patience.limit_s(flight, true), 15);
}

TEST(Patience, WhatStoresResultsHasAMinute) {
    const Patience patience;
    Flight flight{};
    flight.wind_up = 2;
    EXPECT_EQ(patience.limit_s(flight, false), 60);
    EXPECT_EQ(patience.limit_s(flight, true), 15);
    flight.closing = 1;
    EXPECT_EQ(patience.limit_s(flight, true), 60);
}

}  // namespace
}  // namespace sptune::cli
