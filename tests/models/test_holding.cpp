// What features tell of a layout's bytes next to what its conversion makes.
#include "features/features.hpp"
#include "kernels/parallel.hpp"
#include "kernels/registry.hpp"
#include "matrix/generate.hpp"
#include "models/holding.hpp"
#include "models/moving.hpp"
#include "tests/models/entries.hpp"

#include <cmath>

#include <gtest/gtest.h>
#include <omp.h>

namespace sptune::models {
namespace {

using Matrix = GenerateRequest;

/// The largest factor by which estimate and truth differ, over all kernels of the CPU that match.
double worst_factor(const Matrix& request, std::string_view glob) {
    const auto a = generate<double>(request);
    const Features f = extract_features(a.view());
    double worst = 1;
    int seen = 0;
    for (const auto& kernel : spmv_kernels<double, std::int32_t>(Backend::cpu)) {
        if (!matches(kernel.variant.id(), glob)) continue;
        if (!kernel.inspect(a.view(), f, kernel.variant.params).illegal.empty()) continue;
        const auto stored = kernel.convert(a.view(), kernel.variant.params, 1);
        const double truth = static_cast<double>(stored->bytes());
        const double estimate = holding(f, kernel.variant).bytes;
        worst = std::max({worst, estimate / truth, truth / estimate});
        ++seen;
    }
    EXPECT_GT(seen, 0) << glob;
    return worst;
}

const Matrix kUneven{"bipartite", {{"rows", 2500}, {"cols", 4000}, {"mean", 6}}};
const Matrix kMixed{"mixed-rows", {{"rows", 20000}, {"short", 3}, {"long", 200}, {"share", 0.1}}};
const Matrix kRuns{"runs", {{"rows", 20000}, {"runs", 3}, {"length", 6}}};

TEST(HoldingOfRealMatrices, OfSortedRowsIsKnownWhereASampleHasFewOfThem) {
    // Windows end where a thread's share of the rows does, which features know nothing of.
    const int before = omp_get_max_threads();
    for (const int threads : {1, 2}) {
        omp_set_num_threads(threads);
        const double most = threads == 1 ? 1.02 : 1.2;
        EXPECT_LT(worst_factor(kUneven, "*.sell.*.s4096.*.wn.*"), most);
        EXPECT_LT(worst_factor(kUneven, "*.sell.*.sn.*.wn.*"), most);
        EXPECT_LT(worst_factor(kMixed, "*.sell.*.s4096.*.wn.*"), 1.3);
    }
    omp_set_num_threads(before);
}

TEST(HoldingOfRealMatrices, OfCutRowsFollowsTheQuantiles) {
    EXPECT_LT(worst_factor(kUneven, "*.hyb.*.wn.*"), 1.1);
    EXPECT_LT(worst_factor(kMixed, "*.hyb.*.wn.*"), 1.1);
    EXPECT_LT(worst_factor(kRuns, "*.hyb.*.wn.*"), 1.1);
}

TEST(HoldingOfRealMatrices, OfBlocksThatAreNotProbedFollowsRowsAndColumns) {
    EXPECT_LT(worst_factor(kUneven, "*.bsr.*.r2.c3.wn.*"), 1.2);
    EXPECT_LT(worst_factor({"fem", {{"rows", 3000}, {"dof", 3}}}, "*.bsr.*.r3.c2.wn.*"), 1.25);
    EXPECT_LT(worst_factor({"fem", {{"rows", 3000}, {"dof", 6}}}, "*.bsr.*.r2.c3.wn.*"), 1.1);
}

TEST(HoldingOfRealMatrices, KnowsOfVeryLongRowsBesideTheSlicesOfACpu) {
    const Matrix hub{"arrow", {{"rows", 3000}}};
    EXPECT_LT(worst_factor(hub, "*.cpu.sell.*.s1.x32.wn.*"), 1.1);
    EXPECT_LT(worst_factor(hub, "*.cpu.sell.*.sn.x32.wn.*"), 1.1);
    const Features f = extract_features(generate<double>(hub).view());
    const auto sliced = [](Backend backend) {
        return variant(backend, "sell", "rows", {{"c", 32}, {"s", 1}, {"x", 32}});
    };
    EXPECT_GT(holding(f, sliced(Backend::cuda)).stored, 5 * holding(f, sliced(Backend::cpu)).stored)
        << "a GPU pads them";
    Features before = f;
    before.long_rows.reset();
    EXPECT_EQ(holding(before, sliced(Backend::cpu)).stored,
              holding(f, sliced(Backend::cuda)).stored);
}

TEST(Moving, IsHowMuchMoreBytesThanTheLeast) {
    const Features f = even_rows(1'000'000, 20);
    const Variant csr = variant(Backend::cpu, "csr", "static", {{"x", 32}, {"l", 1}});
    const Variant longer = variant(Backend::cpu, "csr", "balanced", {{"x", 32}, {"l", 2}});
    const Variant coo = variant(Backend::cpu, "coo", "segmented", {});
    db::Device device = cpu();
    device.threads = 2;
    const auto behind = Moving({csr, coo, longer}).behind(f, device, ValueType::f64);
    ASSERT_EQ(behind.size(), 3u);
    EXPECT_EQ(behind[0], 0);
    EXPECT_EQ(behind[2], 0) << "the same layout";
    EXPECT_NEAR(std::exp(behind[1]), (20 * 16 + 16.) / (20 * 12 + 4 + 16.), 0.01);
    EXPECT_GT(Moving({csr, coo}).behind(f, device, ValueType::f32)[1], behind[1]);

    const auto small = Moving({csr, coo}).behind(even_rows(100, 20), device, ValueType::f64);
    EXPECT_LT(small[1], 0.5 * behind[1]) << "a call costs more than its bytes";
    EXPECT_TRUE(Moving({}).behind(f, device, ValueType::f64).empty());
}

TEST(Moving, TakesTheBestSizeForTheLeastBlock) {
    Features f = even_rows(1'000'000, 20);
    for (BsrFill& b : f.bsr) b.fill = b.r == 2 && b.c == 2 ? 1 : 0.1;
    const auto blocks = [](int size) {
        return variant(Backend::cuda, "bsr", "sliced", {{"r", size}, {"c", size}, {"b", 128}});
    };
    const auto behind =
        Moving({blocks(kAll), blocks(2), blocks(3)}).behind(f, gpu(), ValueType::f32);
    EXPECT_EQ(behind[0], 0);
    EXPECT_EQ(behind[1], 0);
    EXPECT_GT(behind[2], 1);
}

TEST(Moving, WhatMakesNoSenseIsHopelessAndFinite) {
    const Variant csr = variant(Backend::cpu, "csr", "static", {{"x", 32}, {"l", 1}});
    const Variant wrong = variant(Backend::cpu, "bsr", "blocks", {{"r", 3}, {"c", 0}});
    const auto behind = Moving({csr, wrong}).behind(even_rows(1000, 20), cpu(), ValueType::f64);
    EXPECT_EQ(behind[0], 0);
    EXPECT_GT(behind[1], 10);
    EXPECT_TRUE(std::isfinite(behind[1]));
}

}  // namespace
}  // namespace sptune::models
