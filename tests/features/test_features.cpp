// Small matrices, looked at in full: values worked out by hand, awkward shapes, invariances.
#include "features/features.hpp"
#include "matrix/generate.hpp"
#include "tests/features/tiny.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace sptune {
namespace {

double sell(const Features& f, int c, int sigma) {
    for (const auto& s : f.sell)
        if (s.c == c && s.sigma == sigma) return s.padding;
    ADD_FAILURE() << "no probe " << c << ", " << sigma;
    return 0;
}

double bsr(const Features& f, int r, int c) {
    for (const auto& b : f.bsr)
        if (b.r == r && b.c == c) return b.fill;
    ADD_FAILURE() << "no probe " << r << "x" << c;
    return 0;
}

//     . 0 1 2 3
//     0 5 1 . .
//     1 1 5 . 2
//     2 . . . .
//     3 . 3 . 5
TEST(Features, OfASquareMatrixByHand) {
    const Tiny a(4, {{{0, 5}, {1, 1}}, {{0, 1}, {1, 5}, {3, 2}}, {}, {{1, 3}, {3, 5}}});
    const Features f = extract_features(a.view());
    EXPECT_EQ(f.nnz, 7);
    EXPECT_DOUBLE_EQ(f.density, 7.0 / 16);
    EXPECT_EQ(f.row_min, 0);
    EXPECT_EQ(f.row_max, 3);
    EXPECT_DOUBLE_EQ(f.row_mean, 1.75);
    EXPECT_DOUBLE_EQ(f.row_median, 2);
    EXPECT_DOUBLE_EQ(f.row_std, std::sqrt(4.75 / 4));  // .25² + 1.25² + 1.75² + .25² = 4.75
    EXPECT_DOUBLE_EQ(f.row_cv, std::sqrt(4.75 / 4) / 1.75);
    EXPECT_DOUBLE_EQ(f.row_skew, (0.03125 + 1.953125 - 5.359375) / 4 / std::pow(4.75 / 4, 1.5));
    EXPECT_NEAR(f.row_gini, 2.0 * (0 + 4 + 6 + 12) / (4 * 7) - 5.0 / 4, 1e-15);
    EXPECT_EQ(f.empty_rows, 1);
    EXPECT_DOUBLE_EQ(f.row_neighbour_diff, (1 + 3 + 2) / 3.0);
    EXPECT_DOUBLE_EQ(f.warp_imbalance, 32 * 3 / 7.0);
    // d = 0: (0,0) (1,1) (3,3); 1: (0,1); -1: (1,0); 2: (1,3); -2: (3,1).
    EXPECT_EQ(f.diagonals, 5);
    EXPECT_DOUBLE_EQ(f.dia_fill, 7.0 / 20);
    EXPECT_EQ(f.dense_diagonals, 1);  // 3 of 4; the others 1 of 3 or 1 of 2
    EXPECT_DOUBLE_EQ(f.dense_diagonal_share, 3.0 / 7);
    EXPECT_DOUBLE_EQ(f.top_diagonal_share[0], 3.0 / 7);
    EXPECT_DOUBLE_EQ(f.top_diagonal_share[1], 6.0 / 7);
    EXPECT_DOUBLE_EQ(f.top_diagonal_share[2], 1);
    EXPECT_EQ(f.diagonal_runs, 0.5);  // of row 0: (1,1) is there, (1,2) is not
    EXPECT_EQ(f.bandwidth_max, 2);
    EXPECT_DOUBLE_EQ(f.bandwidth_mean, 6.0 / 7);
    EXPECT_EQ(f.profile, 0 + 1 + 2);
    EXPECT_DOUBLE_EQ(f.pattern_symmetry, 1);
    EXPECT_DOUBLE_EQ(f.value_symmetry, 0.5);
    EXPECT_DOUBLE_EQ(f.ell_fill, 7.0 / 12);
    EXPECT_DOUBLE_EQ(sell(f, 2, 1), (2 * 3 + 2 * 2) / 7.0 - 1);
    EXPECT_DOUBLE_EQ(sell(f, 2, 4), (2 * 3 + 2 * 2) / 7.0 - 1);  // 3 2 | 2 0
    EXPECT_DOUBLE_EQ(sell(f, 2, 0), (2 * 3 + 2 * 2) / 7.0 - 1);
    EXPECT_DOUBLE_EQ(sell(f, 8, 1), 8 * 3 / 7.0 - 1);
    EXPECT_DOUBLE_EQ(bsr(f, 1, 2), 7.0 / (2 * 5));
    EXPECT_DOUBLE_EQ(bsr(f, 2, 1), 7.0 / (2 * 5));
    EXPECT_DOUBLE_EQ(bsr(f, 2, 2), 7.0 / (4 * 4));
    EXPECT_DOUBLE_EQ(bsr(f, 3, 3), 7.0 / (9 * 4));
    EXPECT_DOUBLE_EQ(bsr(f, 8, 8), 7.0 / 64);
    // Quantiles of 0 2 2 3: 2, 2, 3, 3.
    EXPECT_DOUBLE_EQ(f.hyb_remainder[0], 1.0 / 7);
    EXPECT_DOUBLE_EQ(f.hyb_remainder[1], 1.0 / 7);
    EXPECT_DOUBLE_EQ(f.hyb_remainder[2], 0);
    EXPECT_DOUBLE_EQ(f.cols_per_line, 7.0 / 3);
    EXPECT_DOUBLE_EQ(f.column_gap, (1 + 1.5 + 2) / 3);
    EXPECT_DOUBLE_EQ(f.reuse_distance, 0);  // only rows 0 and 1 are neighbours with entries
    EXPECT_FALSE(f.constant_values);
    EXPECT_DOUBLE_EQ(f.sampled_share, 1);
}

TEST(Features, SortingRowsReducesPadding) {
    const auto a = pattern(4, {{0}, {0, 1, 2}, {0}, {0, 1, 2}, {0, 1, 2, 3}});
    const Features f = extract_features(a.view());
    EXPECT_DOUBLE_EQ(sell(f, 2, 1), 2 * (3 + 3 + 4) / 12.0 - 1);
    EXPECT_DOUBLE_EQ(sell(f, 2, 4), 2 * (3 + 1 + 4) / 12.0 - 1);
    EXPECT_DOUBLE_EQ(sell(f, 2, 0), 2 * (4 + 3 + 1) / 12.0 - 1);
}

TEST(Features, OfARectangleAreNeverSymmetric) {
    const auto a = pattern(3, {{1}, {0}});
    const Features f = extract_features(a.view());
    EXPECT_EQ(f.pattern_symmetry, 0);
    EXPECT_EQ(f.value_symmetry, 0);
    EXPECT_TRUE(f.constant_values);
    EXPECT_EQ(extract_features(Tiny(2, {{{0, 1}}, {{0, 1}, {1, 1}}}).view()).row_median, 1.5);
    EXPECT_EQ(f.diagonals, 2);
    EXPECT_DOUBLE_EQ(f.reuse_distance, 1);
}

TEST(Features, EmptyMatricesHaveZerosEverywhere) {
    std::vector<std::int32_t> no_rows{0}, rows(6, 0);
    const CsrView<double> views[] = {{0, 0, nullptr, nullptr, nullptr},
                                     {0, 5, no_rows.data(), nullptr, nullptr},
                                     {5, 0, rows.data(), nullptr, nullptr},
                                     {5, 5, rows.data(), nullptr, nullptr}};
    for (const auto& view : views) {
        const Features f = extract_features(view);
        EXPECT_EQ(f.rows, view.rows);
        EXPECT_EQ(f.cols, view.cols);
        EXPECT_EQ(f.nnz, 0);
        EXPECT_EQ(f.empty_rows, view.rows);
        for (const double x : {f.density, f.row_mean, f.row_gini, f.dia_fill, f.ell_fill,
                               f.bandwidth_mean, f.warp_imbalance, f.column_gap})
            EXPECT_EQ(x, 0);
        EXPECT_EQ(f.sell.size(), sell_probes().size());
        EXPECT_EQ(f.bsr.size(), bsr_probes().size());
        EXPECT_EQ(f.fingerprint, fingerprint(view));
    }
    EXPECT_NE(fingerprint(views[2]), fingerprint(views[3]));
    EXPECT_NE(fingerprint(views[0]), fingerprint(views[1]));
}

TEST(Features, OfOneRowOneColumnAndOneEntry) {
    const auto one = pattern(1, {{0}});
    Features f = extract_features(one.view());
    EXPECT_EQ(f.density, 1);
    EXPECT_EQ(f.row_std, 0);
    EXPECT_EQ(f.row_skew, 0);
    EXPECT_EQ(f.row_neighbour_diff, 0);
    EXPECT_EQ(f.dense_diagonals, 1);
    EXPECT_EQ(f.pattern_symmetry, 1);
    EXPECT_EQ(f.column_gap, 0);

    const auto row = pattern(1000, {{0, 10, 999}});
    f = extract_features(row.view());
    EXPECT_EQ(f.row_max, 3);
    EXPECT_EQ(f.bandwidth_max, 999);
    EXPECT_DOUBLE_EQ(f.column_gap, 999 / 2.0);
    EXPECT_EQ(f.dense_diagonals, 3);

    const auto column = pattern(1, std::vector<std::vector<index_t>>(100, {0}));
    f = extract_features(column.view());
    EXPECT_EQ(f.bandwidth_max, 99);
    EXPECT_EQ(f.diagonals, 100);
    EXPECT_EQ(f.profile, 99 * 100 / 2);
    EXPECT_EQ(f.ell_fill, 1);
    EXPECT_DOUBLE_EQ(sell(f, 64, 1), 128 / 100.0 - 1);
    EXPECT_DOUBLE_EQ(bsr(f, 8, 1), 100.0 / 104);
}

TEST(Features, DoNotNeedSortedColumnsNorDistinctOnes) {
    const Tiny sorted(4, {{{0, 1}, {2, 2}, {3, 3}}, {{1, 4}}, {{0, 2}, {2, 5}}, {{0, 3}, {3, 6}}});
    const Tiny mixed(4, {{{3, 3}, {0, 1}, {2, 2}}, {{1, 4}}, {{2, 5}, {0, 2}}, {{3, 6}, {0, 3}}});
    const Features f = extract_features(sorted.view()), g = extract_features(mixed.view());
    EXPECT_EQ(f.pattern_symmetry, 1);
    EXPECT_EQ(f.value_symmetry, 1);
    EXPECT_EQ(g.pattern_symmetry, 1);
    EXPECT_EQ(g.value_symmetry, 1);
    EXPECT_EQ(f.profile, g.profile);
    EXPECT_EQ(f.column_gap, g.column_gap);
    EXPECT_EQ(f.reuse_distance, g.reuse_distance);
    EXPECT_EQ(bsr(f, 2, 2), bsr(g, 2, 2));
    EXPECT_EQ(f.diagonal_runs, 1 / 3.0);
    EXPECT_EQ(g.diagonal_runs, 1 / 3.0);

    const auto twice = pattern(2, {{0, 0, 0}, {1, 1, 1}});
    const Features d = extract_features(twice.view());
    EXPECT_LE(bsr(d, 2, 2), 1);
    EXPECT_EQ(d.diagonals, 1);
    EXPECT_EQ(d.diagonal_runs, 1);
}

TEST(Features, SumsBeyond32Bits) {
    // 200 000 rows with one entry in the far corner each: Σ |column - row| and the profile pass
    // 2^31, rows · columns passes 2^38.
    constexpr index_t n = 200'000;
    std::vector<std::int32_t> row_ptr(n + 1);
    std::vector<index_t> columns(n);
    std::vector<float> values(n, 1);
    for (index_t i = 0; i < n; ++i) row_ptr[static_cast<std::size_t>(i) + 1] = i + 1;
    const CsrView<float> low{n, n, row_ptr.data(), columns.data(), values.data()};
    Features f = extract_features(low);
    EXPECT_EQ(f.profile, std::int64_t{n} * (n - 1) / 2);
    EXPECT_DOUBLE_EQ(f.bandwidth_mean, (n - 1) / 2.0);
    EXPECT_EQ(f.diagonals, n);
    EXPECT_DOUBLE_EQ(f.density, 1.0 / n);

    constexpr index_t wide = 2'147'483'647;
    std::fill(columns.begin(), columns.end(), wide - 1);
    const CsrView<float> far{n, wide, row_ptr.data(), columns.data(), values.data()};
    f = extract_features(far);
    EXPECT_EQ(f.bandwidth_max, wide - 1);
    EXPECT_EQ(f.profile, 0);
    EXPECT_DOUBLE_EQ(f.bandwidth_mean, wide - 1 - (n - 1) / 2.0);
    EXPECT_DOUBLE_EQ(f.density, 1.0 / wide);
    EXPECT_DOUBLE_EQ(f.reuse_distance, 0);
}

TEST(Fingerprint, KnowsThePatternAndNothingElse) {
    const GenerateRequest request{"power-law", {{"rows", 5000}}};
    auto a = generate<double>(request);
    const auto b = generate<float, std::int64_t>(request);
    const std::uint64_t h = fingerprint(a.view());
    EXPECT_EQ(h, fingerprint(b.view()));
    EXPECT_EQ(h, fingerprint(a.view(), 1));
    EXPECT_EQ(h, fingerprint(a.view(), 3));
    EXPECT_EQ(h, extract_features(a.view(), 3).fingerprint);
    EXPECT_EQ(h, extract_features(b.view(), 1).fingerprint);
    std::reverse(a.values.begin(), a.values.end());
    EXPECT_EQ(h, fingerprint(a.view()));
    for (const std::size_t k : {std::size_t{0}, a.col_idx.size() / 2, a.col_idx.size() - 1}) {
        a.col_idx[k] ^= 1;
        EXPECT_NE(h, fingerprint(a.view()));
        a.col_idx[k] ^= 1;
    }
    a.cols += 1;
    EXPECT_NE(h, fingerprint(a.view()));

    // The same columns in differently cut rows.
    EXPECT_NE(fingerprint(pattern(3, {{0, 1}, {2}}).view()),
              fingerprint(pattern(3, {{0}, {1, 2}}).view()));
}

TEST(Probes, CoverTheSweptParameters) {
    EXPECT_EQ(sell_probes().size(), 8 * 5 + 2 * 3);
    for (const SellProbe& p : sell_probes()) {
        EXPECT_GE(p.sigma, 0);
        if (p.sigma > 1) {
            EXPECT_EQ(p.sigma % p.c, 0) << p.c;
        }
    }
    EXPECT_EQ(bsr_probes().size(), 15u);
}

}  // namespace
}  // namespace sptune
