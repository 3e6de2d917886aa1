// Matrices on which tiles suffice.
#include "kernels/registry.hpp"
#include "models/small_tiles.hpp"

#include <gtest/gtest.h>

namespace sptune::models {
namespace {

Variant safe_for(const Outline& outline) {
    return spmv_safe(Backend::cuda, ValueType::f64, IndexType::i32, outline);
}

TEST(SmallTiles, SufficeWhereARowIsLong) {
    const Outline skewed{10'000, 50'000, 5000, 132}, even{10'000, 50'000, 9, 132};
    EXPECT_TRUE(tiles_suffice(safe_for(skewed), skewed));
    EXPECT_FALSE(tiles_suffice(safe_for(even), even));
    EXPECT_FALSE(tiles_suffice(safe_for(even), skewed)) << "another kernel";
}

TEST(SmallTiles, NotOnLargeMatrices) {
    const Outline large{100'000, 300'000, 5000, 132}, few{10'000, 50'000, 5000, 16};
    EXPECT_FALSE(tiles_suffice(safe_for(large), large));
    EXPECT_FALSE(tiles_suffice(safe_for(few), few)) << "for so few multiprocessors";
    EXPECT_TRUE(small_for_tiles({100'000, 299'960, -1, 132}));
    EXPECT_TRUE(small_for_tiles({100'000, 299'960, -1, 0})) << "unknown: as many as an H100 has";
}

TEST(SmallTiles, PayWhereCallsRepayTheirConversion) {
    EXPECT_TRUE(tiles_pay(4, 60, 10, 10));
    EXPECT_FALSE(tiles_pay(4, 60, 10, 9));
    EXPECT_TRUE(tiles_pay(4, 1e6, 10, 0)) << "as many as it takes";
    EXPECT_FALSE(tiles_pay(4, 0, 4.1, 0)) << "hardly faster";
    EXPECT_FALSE(tiles_pay(4, 60, 3, 0));
}

TEST(SmallTiles, MoreEntriesTakeLonger) {
    const auto us = [](ValueType value, std::int64_t nnz, int multiprocessors) {
        return small_tiles_us(value, {10'000, nnz, 5000, multiprocessors});
    };
    const double least = us(ValueType::f64, 100'000, 132);
    EXPECT_GT(us(ValueType::f64, 300'000, 132), least);
    EXPECT_GT(us(ValueType::f64, 100'000, 66), least);
    EXPECT_LT(us(ValueType::f32, 100'000, 132), least);
    EXPECT_EQ(us(ValueType::f64, 100'000, 0), least);
}

}  // namespace
}  // namespace sptune::models
