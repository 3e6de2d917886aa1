// What slices pad where very long rows lie beside them, next to LongRowRule applied to each slice.
#include "features/features.hpp"
#include "features/long_rows.hpp"

#include <numeric>

#include <gtest/gtest.h>

namespace sptune {
namespace {

/// A matrix of rows of these lengths, each from column 0 on.
struct Rows {
    std::vector<std::int32_t> ptr{0};
    std::vector<index_t> columns;
    std::vector<float> values;

    explicit Rows(const std::vector<int>& lengths) {
        for (const int length : lengths) {
            for (index_t j = 0; j < length; ++j) columns.push_back(j);
            ptr.push_back(static_cast<std::int32_t>(columns.size()));
        }
        values.assign(columns.size(), 1);
    }
    CsrView<float, std::int32_t> view() const {
        return {static_cast<index_t>(ptr.size() - 1), 5000, ptr.data(), columns.data(),
                values.data()};
    }
};

/// stored / nnz - 1 of slices of `c` rows, as they are or, with `sorted`, all rows sorted.
double truth(std::vector<int> lengths, int c, bool sorted) {
    const std::int64_t nnz = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
    if (sorted) std::sort(lengths.rbegin(), lengths.rend());
    std::int64_t stored = 0;
    for (std::size_t first = 0; first < lengths.size(); first += static_cast<std::size_t>(c)) {
        const std::size_t last = std::min(lengths.size(), first + static_cast<std::size_t>(c));
        std::vector<std::int64_t> slice(lengths.begin() + static_cast<std::ptrdiff_t>(first),
                                        lengths.begin() + static_cast<std::ptrdiff_t>(last));
        const std::int64_t width = LongRowRule(nnz).width(slice, c);
        stored += width * c;
        for (const std::int64_t length : slice)
            if (length > width) stored += length;
    }
    return static_cast<double>(stored) / static_cast<double>(nnz) - 1;
}

void expect_truth(const std::vector<int>& lengths, double tolerance) {
    const Features f = extract_features(Rows(lengths).view());
    ASSERT_TRUE(f.long_rows);
    ASSERT_EQ(f.long_rows->sell.size(), f.sell.size());
    for (std::size_t i = 0; i < f.sell.size(); ++i) {
        const SellPadding& s = f.long_rows->sell[i];
        EXPECT_EQ(s.c, f.sell[i].c);
        EXPECT_EQ(s.sigma, f.sell[i].sigma);
        EXPECT_LE(s.padding, f.sell[i].padding);
        if (s.sigma > 1) continue;
        EXPECT_NEAR(s.padding, truth(lengths, s.c, s.sigma == 0), tolerance)
            << "C " << s.c << ", sigma " << s.sigma << ", all in slices " << f.sell[i].padding;
    }
}

TEST(PaddingBesideLongRows, IsUnknownWhereNoRowIsLong) {
    EXPECT_FALSE(extract_features(Rows({3, 1, 255, 2}).view()).long_rows);
    EXPECT_FALSE(extract_features(Rows({}).view()).long_rows);
    EXPECT_TRUE(extract_features(Rows({3, 1, 256, 2}).view()).long_rows);
}

TEST(PaddingBesideLongRows, CountsTheirEntriesOnce) {
    std::vector<int> lengths(600, 2);
    for (std::size_t i = 0; i < lengths.size(); i += 3) lengths[i] = 1;
    lengths[100] = 700, lengths[500] = 300;
    expect_truth(lengths, 1e-9);
    const Features f = extract_features(Rows(lengths).view());
    EXPECT_DOUBLE_EQ(f.long_rows->share, 1000.0 / static_cast<double>(f.nnz));
}

TEST(PaddingBesideLongRows, LeavesRowsThatPadEachOtherLittleTogether) {
    std::vector<int> lengths(12, 300);
    lengths[5] = 290, lengths[7] = 310;
    const Features f = extract_features(Rows(lengths).view());
    ASSERT_TRUE(f.long_rows);
    EXPECT_EQ(f.long_rows->share, 1);
    for (std::size_t i = 0; i < f.sell.size(); ++i)
        if (f.sell[i].c <= 4) {
            EXPECT_EQ(f.long_rows->sell[i].padding, f.sell[i].padding);
        }
}

TEST(PaddingBesideLongRows, OfRowsTooLongForOneThreadIsNone) {
    std::vector<int> lengths(64, 1);
    for (std::size_t i = 0; i < 8; ++i) lengths[i] = 2100 + static_cast<int>(i);
    expect_truth(lengths, 0.002);
}

TEST(PaddingBesideLongRows, OfASampleIsNearTheTruth) {
    std::vector<int> lengths;
    for (int i = 0; i < 300'000; ++i) lengths.push_back(1 + i * 7 % 5);
    for (std::size_t i = 0; i < lengths.size(); i += 20'000) lengths[i + 137] = 4500;
    const Features f = extract_features(Rows(lengths).view());
    EXPECT_LT(f.sampled_share, 0.1);
    expect_truth(lengths, 0.12);
}

}  // namespace
}  // namespace sptune
