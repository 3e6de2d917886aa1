// A quick look: near what a thorough one finds, the same for any number of threads, and whole where
// a sample would say nothing.
#include "features/features.hpp"
#include "features/quick_look.hpp"
#include "features/wide_loops.hpp"
#include "matrix/error.hpp"
#include "matrix/generate.hpp"

#include <cmath>
#include <map>
#include <string>

#include <gtest/gtest.h>

namespace sptune {
namespace {

using Numbers = std::map<std::string, double>;

Numbers estimated(const Features& f) {
    return {{"diagonals", double(f.diagonals)},
            {"bandwidth_mean", f.bandwidth_mean},
            {"bandwidth_max", double(f.bandwidth_max)},
            {"profile", double(f.profile)},
            {"reuse_distance", f.reuse_distance}};
}

/// Some of what a quick look finds as a thorough one does.
Numbers the_same(const Features& f) {
    Numbers list{{"density", f.density},
                 {"row_std", f.row_std},
                 {"row_gini", f.row_gini},
                 {"row_max", double(f.row_max)},
                 {"empty_rows", double(f.empty_rows)},
                 {"row_neighbour_diff", f.row_neighbour_diff},
                 {"warp_imbalance", f.warp_imbalance},
                 {"dense_diagonal_share", f.dense_diagonal_share},
                 {"diagonal_runs", f.diagonal_runs.value()},
                 {"pattern_symmetry", f.pattern_symmetry},
                 {"cols_per_line", f.cols_per_line},
                 {"columns_sorted", double(f.columns_sorted)},
                 {"sampled_share", f.sampled_share}};
    for (const auto& s : f.sell) list["sell " + std::to_string(list.size())] = s.padding;
    for (const auto& b : f.bsr) list["bsr " + std::to_string(list.size())] = b.fill;
    return list;
}

class QuickLook : public testing::TestWithParam<std::string> {};

TEST_P(QuickLook, IsNearAThoroughOne) {
    const auto a = generate<double>({GetParam(), {{"rows", 40000}}});
    const Features f = extract_features(a.view(), 2),
                   q = extract_features(a.view(), 2, Look::quick);
    const Numbers alike = the_same(f), quick = the_same(q);
    for (const auto& [name, number] : alike)
        EXPECT_NEAR(quick.at(name), number, 1e-12 * std::abs(number)) << name;
    EXPECT_EQ(f.passed_share, 1);
    EXPECT_NE(f.fingerprint, 0u);
    EXPECT_EQ(q.fingerprint, 0u);
    EXPECT_FALSE(q.constant_values);
    EXPECT_LE(q.bandwidth_max, f.bandwidth_max);
    if (q.passed_share == 1) {
        EXPECT_EQ(estimated(f), estimated(q));
        return;
    }
    EXPECT_NEAR(q.passed_share, 0.25, 0.02);
    const Numbers want = estimated(f), got = estimated(q);
    // Those of one row in thousands, which is missed.
    if (GetParam() == "staircase") return;
    // A few rows that are unlike the others are missed or count four times.
    const double most = GetParam() == "arrow" || GetParam() == "wheel" ? 3 : 1.6;
    for (const auto& [name, value] : want) {
        EXPECT_GE(got.at(name), value / most) << name;
        EXPECT_LE(got.at(name), 1 + value * most) << name;
    }
}

TEST_P(QuickLook, IsTheSameForAnyThreadsAndTypes) {
    const GenerateRequest request{GetParam(), {{"rows", 40000}}};
    const Numbers one =
        estimated(extract_features(generate<double>(request).view(), 1, Look::quick));
    const auto b = generate<float, std::int64_t>(request);
    for (const int threads : {2, 5})
        EXPECT_EQ(estimated(extract_features(b.view(), threads, Look::quick)), one) << threads;
}

std::vector<std::string> family_names() {
    std::vector<std::string> names;
    for (const Family& f : families()) names.emplace_back(f.name);
    return names;
}
INSTANTIATE_TEST_SUITE_P(Features, QuickLook, testing::ValuesIn(family_names()), [](const auto& p) {
    std::string name = p.param;
    std::ranges::replace(name, '-', '_');
    return name;
});

TEST(QuickLookAt, StencilsFindsAllDiagonals) {
    for (const char* name : {"stencil-2d-5", "stencil-3d-27"}) {
        const auto a = generate<double>({name, {{"rows", 60000}}});
        const Features q = extract_features(a.view(), 2, Look::quick);
        EXPECT_LT(q.passed_share, 1);
        EXPECT_EQ(q.diagonals, extract_features(a.view()).diagonals) << name;
    }
}

TEST(QuickLookAt, MoreDiagonalsThanHaveAByteEach) {
    const auto a = generate<double>({"uniform", {{"rows", 2'200'000}, {"density", 4e-7}}});
    const Features f = extract_features(a.view()), q = extract_features(a.view(), 0, Look::quick);
    EXPECT_LT(q.passed_share, 1);
    for (const auto& [name, value] : estimated(f))
        EXPECT_NEAR(estimated(q).at(name), value, 0.02 * value) << name;
}

Csr<double> with_all_in_row(std::int32_t row) {
    Csr<double> a;
    a.rows = a.cols = 40'000;
    a.row_ptr = Buffer<std::int32_t>(40'001);
    for (std::int32_t i = 0; i <= a.rows; ++i) a.row_ptr[i] = i > row ? a.cols : 0;
    a.col_idx = Buffer<index_t>(40'000);
    a.values = Buffer<double>(40'000);
    for (index_t k = 0; k < a.cols; ++k) a.col_idx[k] = k, a.values[k] = 1;
    return a;
}

TEST(QuickLookAt, OneRowThatHasEverythingIsThorough) {
    int whole = 0;
    for (const std::int32_t row : {7, 5'000, 17'000, 39'999}) {
        const auto a = with_all_in_row(row);
        const Features f = extract_features(a.view(), 2),
                       q = extract_features(a.view(), 2, Look::quick);
        EXPECT_EQ(estimated(f)["bandwidth_max"], estimated(q)["bandwidth_max"]);
        EXPECT_EQ(f.bandwidth_mean, q.bandwidth_mean);
        whole += q.passed_share == 1;
    }
    EXPECT_GE(whole, 2) << "a quarter of the rows has it seldom";
}

TEST(QuickLookAt, RowsThatAreNotSorted) {
    auto a = generate<double>({"banded", {{"rows", 40000}}});
    std::swap(a.col_idx[100'000], a.col_idx[100'001]);
    const Features q = extract_features(a.view(), 2, Look::quick);
    EXPECT_LT(q.passed_share, 1);
    EXPECT_FALSE(q.columns_sorted);
}

TEST(QuickLookAt, ColumnsThatLeadOutOfTheMatrix) {
    auto a = generate<double>({"banded", {{"rows", 40000}}});
    a.col_idx[123'456] = a.cols;
    EXPECT_THROW(extract_features(a.view(), 2, Look::quick), UsageError);
}

TEST(LowBits, AreCountedAsBits) {
    constexpr std::uint64_t kLow = 0x0101010101010101u;
    for (const std::size_t count : {0, 1, 7, 8, 119, 120, 121, 1000}) {
        std::vector<std::uint64_t> words(count);
        for (std::size_t w = 0; w < count; ++w) words[w] = mix64(w + count) & (3 * kLow);
        const BitCounts some = count_low_bits(words.data(), count);
        const BitCounts same = count_bits(words.data(), count, kLow);
        EXPECT_EQ(some.all, same.all) << count;
        EXPECT_EQ(some.pairs, same.pairs) << count;
        std::fill(words.begin(), words.end(), 3 * kLow);
        EXPECT_EQ(count_low_bits(words.data(), count).all, std::int64_t(16 * count));
    }
}

TEST(AllDiagonals, FollowFromWhatTheSecondHalfMeetsAnew) {
    EXPECT_EQ(all_diagonals(2 * 5, 5, 250, 1000), 5) << "a stencil: nothing anew";
    EXPECT_EQ(all_diagonals(200, 200, 200, 1000), 1000) << "nothing met twice: one for each entry";
    // Half as many anew each time: 64 + 32 + 16 + … of eight halves.
    EXPECT_EQ(all_diagonals(128, 96, 1000, 4000), 128);
    EXPECT_EQ(all_diagonals(1, 1, 10, 40), 4) << "one half has met none";
    EXPECT_EQ(all_diagonals(200, 180, 1000, 1000), 180) << "there is nothing else";
}

}  // namespace
}  // namespace sptune
