#include "matrix/number.hpp"

#include <gtest/gtest.h>

namespace sptune {
namespace {

TEST(Number, DurationsPickTheUnit) {
    EXPECT_EQ(duration_us(0), "0 µs");
    EXPECT_EQ(duration_us(0.0125), "12.5 ns");
    EXPECT_EQ(duration_us(1.254), "1.25 µs");
    EXPECT_EQ(duration_us(999.7), "1.00 ms");
    EXPECT_EQ(duration_us(3.4e6), "3.40 s");
    EXPECT_EQ(duration_us(250e6), "4 min 10 s");
}

TEST(Number, RoundingAddsNoDigit) {
    EXPECT_EQ(significant(99.97), "100");
    EXPECT_EQ(significant(9.996), "10.0");
    EXPECT_EQ(significant(-99.97), "-100");
}

TEST(Number, Counts) {
    EXPECT_EQ(count(0), "0");
    EXPECT_EQ(count(999), "999");
    EXPECT_EQ(count(1000), "1,000");
    EXPECT_EQ(count(-1234567), "-1,234,567");
    EXPECT_EQ(count(-123), "-123");
    EXPECT_EQ(short_count(12'300'000), "12.3 M");
    EXPECT_EQ(byte_count(1536), "1.50 KiB");
}

TEST(Number, NotQuiteAllIsNotAll) {
    EXPECT_EQ(percent(1), "100 %");
    EXPECT_EQ(percent(0.99999), ">99.9 %");
    EXPECT_EQ(percent(0.997), "99.7 %");
    EXPECT_EQ(percent(0.37), "37 %");
    EXPECT_EQ(percent(0.0001), "<0.1 %");
    EXPECT_EQ(percent(0), "0 %");
}

TEST(Number, OneIsSingular) {
    EXPECT_EQ(with_noun(count(0), "nonzero"), "0 nonzeros");
    EXPECT_EQ(with_noun(count(1), "nonzero"), "1 nonzero");
    EXPECT_EQ(with_noun(count(1001), "nonzero"), "1,001 nonzeros");
    EXPECT_EQ(with_noun(short_count(1), "entry", "entries"), "1 entry");
    EXPECT_EQ(with_noun(short_count(1e6), "entry", "entries"), "1.00 M entries");
}

}  // namespace
}  // namespace sptune
