#include "matrix/counter_random.hpp"
#include "matrix/error.hpp"
#include "matrix/generate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <gtest/gtest.h>
#include <omp.h>
#include <xxhash.h>

namespace sptune {
namespace {

template <class T, class P>
std::uint64_t hash_of(const Csr<T, P>& a) {
    const auto one = [](const auto& b, std::uint64_t seed) {
        return XXH64(b.data(), b.bytes(), seed);
    };
    return one(a.values, one(a.col_idx, one(a.row_ptr, 0)));
}

template <class T, class P>
void expect_valid(const Csr<T, P>& a) {
    ASSERT_EQ(a.row_ptr.size(), static_cast<std::size_t>(a.rows) + 1);
    ASSERT_EQ(a.row_ptr[0], 0);
    ASSERT_EQ(a.col_idx.size(), static_cast<std::size_t>(a.nnz()));
    ASSERT_EQ(a.values.size(), static_cast<std::size_t>(a.nnz()));
    for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i) {
        ASSERT_LE(a.row_ptr[i], a.row_ptr[i + 1]);
        for (auto k = static_cast<std::size_t>(a.row_ptr[i]);
             k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k) {
            ASSERT_GE(a.col_idx[k], 0);
            ASSERT_LT(a.col_idx[k], a.cols);
            if (k > static_cast<std::size_t>(a.row_ptr[i])) {
                ASSERT_LT(a.col_idx[k - 1], a.col_idx[k]) << "row " << i;
            }
            ASSERT_TRUE(std::isfinite(a.values[k]));
            ASSERT_NE(a.values[k], 0);
        }
    }
}

template <class T = double>
Csr<T> make(std::string family, std::map<std::string, double> parameters = {},
            std::uint64_t seed = 1) {
    return generate<T>({std::move(family), std::move(parameters), seed});
}

std::vector<int> lengths(const Csr<double>& a) {
    std::vector<int> list(static_cast<std::size_t>(a.rows));
    for (std::size_t i = 0; i < list.size(); ++i) list[i] = a.row_ptr[i + 1] - a.row_ptr[i];
    return list;
}

struct Pinned {
    const char* family;
    std::uint64_t hash;  // of the f64 arrays at --rows 3000, seed 7
};

// A change here changes every matrix that anyone has made: not done lightly.
constexpr Pinned kPinned[] = {
    {"stencil-1d-3", 0x212f27a4667dec96},  {"stencil-2d-5", 0xe1d7132b53188632},
    {"stencil-2d-9", 0xe8f8bd958836984f},  {"stencil-3d-7", 0x8a565e5ce1ea9a4f},
    {"stencil-3d-27", 0x32f5070b6625052a}, {"fem", 0x8be72d78ef5bdd04},
    {"arrow", 0xd550e7ca0a93c90e},         {"block-diagonal", 0x6cdd6fefa6c97c3b},
    {"wheel", 0x706249a3d28dff4e},         {"banded", 0xc53086b7fa9acd70},
    {"uniform", 0xd5d82e57ca4c07df},       {"per-row", 0x2787e53b0fff0ccc},
    {"power-law", 0x527a9c49cc693fbd},     {"rmat", 0xbe5dbf2431658dac},
    {"bipartite", 0xa4206f1b7ba3646b},     {"diagonals", 0x5a73f778d3c117b8},
    {"skyline", 0x127f9cad46e64db4},       {"local", 0x101cbc832c9bfd13},
    {"runs", 0x50a2451240b021ff},          {"mixed-rows", 0xc0f04daa7d11afd0},
    {"layers", 0x36014b103536d947},        {"hierarchy", 0x18b94ebbea5e3b6d},
    {"staircase", 0xeac8bd6abec56e06},
};

TEST(Generate, EveryFamilyIsPinned) {
    std::set<std::string_view> pinned, known;
    for (const auto& p : kPinned) pinned.insert(p.family);
    for (const auto& f : families()) known.insert(f.name);
    EXPECT_EQ(pinned, known);
}

TEST(Generate, ChangesArePinned) {
    const auto a =
        make("banded", {{"rows", 3000}, {"drop", 0.3}, {"shuffle", 100}, {"unknowns", 2}}, 7);
    EXPECT_EQ(hash_of(a), 0x5a4907cd56cb363b) << std::hex << "0x" << hash_of(a);
}

class EveryFamily : public testing::TestWithParam<Pinned> {};

TEST_P(EveryFamily, IsValidAndTheSameEverywhere) {
    const GenerateRequest request{GetParam().family, {{"rows", 3000}}, 7};
    const auto one = generate<double>(request);
    expect_valid(one);
    EXPECT_EQ(hash_of(one), GetParam().hash) << std::hex << "0x" << hash_of(one);
    EXPECT_LE(one.nnz(), expected_nnz(request));
    EXPECT_NEAR(one.rows, 3000, GetParam().family == std::string_view("rmat") ? 1096 : 300);

    const auto wide = generate<float, std::int64_t>(request);
    ASSERT_EQ(wide.nnz(), one.nnz());
    EXPECT_TRUE(std::ranges::equal(wide.row_ptr, one.row_ptr));
    EXPECT_TRUE(std::ranges::equal(wide.col_idx, one.col_idx));
    for (std::size_t k = 0; k < one.values.size(); ++k)
        ASSERT_EQ(wide.values[k], static_cast<float>(one.values[k]));
}

TEST_P(EveryFamily, IsTheSameForAnyThreads) {
    const GenerateRequest request{GetParam().family, {{"rows", 30000}}, 7};
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const auto one = generate<double>(request);
    omp_set_num_threads(3);
    const auto three = generate<double>(request);
    omp_set_num_threads(threads);
    EXPECT_EQ(hash_of(one), hash_of(three));
}

TEST_P(EveryFamily, WorksFromOneRowUp) {
    for (const double rows : {1, 2, 3, 5, 17}) {
        const auto a = make(GetParam().family, {{"rows", rows}});
        expect_valid(a);
        EXPECT_GE(a.rows, 1);
        EXPECT_LE(a.rows, std::max(4.0, 2 * rows));
    }
    for (const double rows : {0.0, -1.0, 2.5, 3e9, std::nan("")})
        EXPECT_THROW(make(GetParam().family, {{"rows", rows}}), UsageError) << rows;
    EXPECT_THROW(make(GetParam().family, {{"no-such", 1}}), UsageError);
}

INSTANTIATE_TEST_SUITE_P(Generate, EveryFamily, testing::ValuesIn(kPinned), [](const auto& p) {
    std::string name = p.param.family;
    std::ranges::replace(name, '-', '_');
    return name;
});

TEST(Generate, RandomFamiliesDependOnTheSeed) {
    for (const char* family : {"uniform", "per-row", "power-law", "rmat", "bipartite", "diagonals",
                               "skyline", "local", "runs", "mixed-rows", "hierarchy", "staircase"})
        EXPECT_NE(hash_of(make(family)), hash_of(make(family, {}, 2))) << family;
}

TEST(Generate, StencilsHaveTheUsualRows) {
    const auto line = make("stencil-1d-3", {{"nx", 5}});
    EXPECT_EQ(lengths(line), (std::vector{2, 3, 3, 3, 2}));
    EXPECT_EQ(line.values[0], 2);
    EXPECT_EQ(line.values[1], -1);
    const auto plane = make("stencil-2d-5", {{"nx", 3}, {"ny", 4}});
    EXPECT_EQ(plane.rows, 12);
    EXPECT_EQ(plane.nnz(), 12 * 5 - 2 * 3 - 2 * 4);
    EXPECT_EQ(std::vector(&plane.col_idx[static_cast<std::size_t>(plane.row_ptr[4])],
                          &plane.col_idx[static_cast<std::size_t>(plane.row_ptr[5])]),
              (std::vector<index_t>{1, 3, 4, 5, 7}));
    EXPECT_EQ(make("stencil-2d-9", {{"nx", 10}, {"ny", 20}}).nnz(), 28 * 58);
    EXPECT_EQ(make("stencil-3d-27", {{"nx", 3}, {"ny", 4}, {"nz", 5}}).nnz(), 7 * 10 * 13);
    EXPECT_EQ(make("stencil-3d-7", {{"nx", 4}, {"ny", 4}, {"nz", 4}}).nnz(), 64 * 7 - 6 * 16);
    EXPECT_EQ(make("stencil-3d-7", {{"rows", 1000}}).rows, 1000);
    EXPECT_EQ(make("stencil-2d-5", {{"nx", 10}, {"rows", 1000}}).rows, 1000);
    EXPECT_THROW(make("stencil-2d-5", {{"nx", 10}, {"ny", 10}, {"rows", 99}}), UsageError);
    EXPECT_THROW(make("stencil-3d-7", {{"nx", 1e6}, {"ny", 1e6}, {"nz", 1e6}}), UsageError);
    // The nearest mesh is larger than what was asked for.
    for (const char* family : {"stencil-2d-5", "fem"}) {
        EXPECT_THROW(expected_nnz({family, {{"rows", 0x1p31 - 1}}, 1}), UsageError) << family;
        EXPECT_GT(expected_nnz({family, {{"rows", 2e9}}, 1}), 2e9) << family;
    }
}

TEST(Generate, FemHasDenseBlocksAndIsSymmetric) {
    const auto a = make("fem", {{"nx", 4}, {"ny", 3}, {"nz", 1}, {"dof", 3}});
    EXPECT_EQ(a.rows, 36);
    EXPECT_EQ(a.nnz(), 10 * 7 * 9);
    std::vector<double> dense(36 * 36);
    for (std::size_t i = 0; i < 36; ++i)
        for (int k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
            dense[i * 36 + static_cast<std::size_t>(a.col_idx[static_cast<std::size_t>(k)])] =
                a.values[static_cast<std::size_t>(k)];
    for (std::size_t i = 0; i < 36; ++i) {
        double others = 0;
        for (std::size_t j = 0; j < 36; ++j) {
            EXPECT_EQ(dense[i * 36 + j], dense[j * 36 + i]);
            if (j != i) others += std::abs(dense[i * 36 + j]);
        }
        EXPECT_GT(dense[i * 36 + i], others);
    }
}

TEST(Generate, UniformHitsItsDensity) {
    EXPECT_EQ(make("uniform", {{"rows", 100}, {"cols", 70}, {"density", 0}}).nnz(), 0);
    EXPECT_EQ(make("uniform", {{"rows", 100}, {"cols", 70}, {"density", 1}}).nnz(), 7000);
    for (const double density : {0.001, 0.05, 0.5, 0.97}) {
        const auto a = make("uniform", {{"rows", 1000}, {"cols", 2000}, {"density", density}});
        const double mean = 2e6 * density;
        EXPECT_NEAR(a.nnz(), mean, 5 * std::sqrt(mean * (1 - density))) << density;
    }
    EXPECT_THROW(make("uniform", {{"density", 1.01}}), UsageError);
}

// χ² of the column counts: sampling without replacement must not favour any column, neither for
// few nor for most of them.
TEST(Generate, FixedRowsAreUnbiased) {
    for (const int k : {0, 1, 3, 20, 33, 50, 64}) {
        const auto a = make("per-row", {{"rows", 20000}, {"cols", 64}, {"per-row", double(k)}});
        for (const int length : lengths(a)) ASSERT_EQ(length, k);
        std::vector<double> hits(64);
        for (const index_t c : a.col_idx) ++hits[static_cast<std::size_t>(c)];
        const double p = k / 64.0, mean = 20000 * p;
        double chi = 0;
        for (const double h : hits)
            chi += k == 0 || k == 64 ? std::abs(h - mean)
                                     : (h - mean) * (h - mean) / (mean * (1 - p)) * 63 / 64;
        EXPECT_LT(chi, 120) << k;  // 63 degrees of freedom: 120 is 5 standard deviations off
    }
    EXPECT_THROW(make("per-row", {{"cols", 10}, {"per-row", 11}}), UsageError);
}

TEST(Generate, PoissonRowsHavePoissonVariance) {
    const auto a = make("per-row", {{"rows", 20000}, {"per-row", 6.5}, {"poisson", 1}});
    const auto n = lengths(a);
    const double mean = a.nnz() / 20000.0;
    double variance = 0;
    for (const int x : n) variance += (x - mean) * (x - mean) / 20000;
    EXPECT_NEAR(mean, 6.5, 0.1);
    EXPECT_NEAR(variance, 6.5, 0.4);
    const auto wide =
        make("per-row", {{"rows", 50}, {"cols", 1e6}, {"per-row", 2000}, {"poisson", 1}});
    EXPECT_NEAR(wide.nnz() / 50.0, 2000, 5 * std::sqrt(2000.0 / 50));
}

TEST(Generate, PowerLawHasItsMeanAndALongTail) {
    const auto a = make("power-law", {{"rows", 30000}, {"mean", 8}, {"exponent", 2.5}});
    auto n = lengths(a);
    EXPECT_NEAR(a.nnz() / 30000.0, 8, 1.5);
    std::ranges::sort(n);
    EXPECT_GT(n.back(), 50 * n[15000]);
    // Tail: #(length ≥ k) ~ k^-1.5, so a factor 8 in k is a factor 22.6 in the count.
    const auto at_least = [&](int k) { return double(n.end() - std::ranges::lower_bound(n, k)); };
    EXPECT_NEAR(at_least(10) / at_least(80), 22.6, 6);
}

TEST(Generate, RmatFollowsItsQuadrants) {
    const auto a =
        make("rmat", {{"scale", 12}, {"edge-factor", 4}, {"a", 0.4}, {"b", 0.3}, {"c", 0.2}});
    EXPECT_EQ(a.rows, 4096);
    double quadrant[4] = {};
    for (std::size_t i = 0; i < 4096; ++i)
        for (int k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
            ++quadrant[2 * (i >= 2048) + (a.col_idx[static_cast<std::size_t>(k)] >= 2048)];
    EXPECT_NEAR(quadrant[0] / a.nnz(), 0.4, 0.02);
    EXPECT_NEAR(quadrant[1] / a.nnz(), 0.3, 0.02);
    EXPECT_NEAR(quadrant[2] / a.nnz(), 0.2, 0.02);
    EXPECT_EQ(make("rmat", {{"rows", 1000}}).rows, 1024);
    EXPECT_THROW(make("rmat", {{"a", 0.7}, {"b", 0.5}}), UsageError);
    EXPECT_THROW(make("rmat", {{"rows", 1000}, {"scale", 10}}), UsageError);
    EXPECT_GT(expected_nnz({"rmat", {{"rows", 0x1p30}, {"edge-factor", 1}}, 1}), 0x1p30);
    EXPECT_THROW(expected_nnz({"rmat", {{"rows", 0x1p30 + 1}}, 1}), UsageError);
    EXPECT_EQ(make("rmat", {{"a", 0}, {"b", 0}, {"c", 1}, {"rows", 8}}).nnz(), 1);
}

TEST(Generate, ShapesAreWhatTheySay) {
    const auto arrow = make("arrow", {{"rows", 10}, {"band", 1}, {"dense", 2}});
    EXPECT_EQ(lengths(arrow), (std::vector{10, 10, 4, 5, 5, 5, 5, 5, 5, 4}));
    const auto blocks = make("block-diagonal", {{"rows", 10}, {"block", 4}});
    EXPECT_EQ(lengths(blocks), (std::vector{4, 4, 4, 4, 4, 4, 4, 4, 2, 2}));
    EXPECT_EQ(make("block-diagonal", {{"blocks", 3}, {"block", 4}}).rows, 12);
    const auto wheel = make("wheel", {{"rows", 12}, {"hubs", 2}});
    EXPECT_EQ(lengths(wheel), (std::vector{6, 6, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4}));
    const auto band = make("banded", {{"rows", 6}, {"band", 2}});
    EXPECT_EQ(lengths(band), (std::vector{3, 4, 5, 5, 4, 3}));
    EXPECT_EQ(make("banded", {{"rows", 6}, {"fill", 0}}).nnz(), 6);
    const auto bipartite = make("bipartite", {{"rows", 2000}});
    EXPECT_EQ(bipartite.cols, 500);
    EXPECT_NEAR(bipartite.nnz() / 2000.0, 8, 0.4);
}

TEST(Generate, RefusesWhatCannotBe) {
    EXPECT_THROW(make("no-such-family"), UsageError);
    try {
        make("stencil");
        FAIL();
    } catch (const UsageError& e) {
        EXPECT_NE(std::string(e.what()).find("stencil-2d-5"), std::string::npos) << e.what();
    }
    EXPECT_THROW(make("per-row", {{"rows", 30000}, {"cols", 1e5}, {"per-row", 80000}}), UsageError);
}

TEST(Generate, BoundsAreKnownWithoutMaking) {
    EXPECT_EQ(expected_nnz({"per-row", {{"rows", 2e9}, {"per-row", 100}}}), 200'000'000'000);
    EXPECT_EQ(expected_nnz({"arrow", {{"rows", 2e9}, {"dense", 2}, {"band", 0}}}),
              4'000'000'000 + std::int64_t{1'999'999'998} * 3);
    EXPECT_EQ(expected_nnz({"uniform", {{"rows", 2e9}, {"density", 1}}}),
              4'000'000'000'000'000'000);
}

TEST(CounterRandom, FunctionsAreAccurate) {
    for (double x = 1e-300; x < 1e300; x *= 17.3)
        EXPECT_NEAR(portable_log(x), std::log(x), 1e-15 * (1 + std::abs(std::log(x))));
    for (double x = 1e-12; x < 1; x *= 1.7)
        EXPECT_NEAR(portable_log1p(-x) / std::log1p(-x), 1, 1e-14) << x;
    for (double x = -690; x < 690; x += 3.7)
        EXPECT_NEAR(portable_exp(x) / std::exp(x), 1, 1e-13) << x;
    Stream s(1, 2);
    for (int i = 0; i < 1000; ++i) {
        const double u = s.uniform();
        EXPECT_TRUE(u > 0 && u < 1);
        EXPECT_LT(s.below(7), 7u);
    }
    EXPECT_GT(signed_unit(0), -1);
    EXPECT_LT(signed_unit(~0ull), 1);
    EXPECT_NE(signed_unit(0x8000000000000000u), 0);
}

}  // namespace
}  // namespace sptune
