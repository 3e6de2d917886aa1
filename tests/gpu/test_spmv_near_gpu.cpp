// Kernels that keep part of x in shared memory, hub columns and two-dimensional tiles: also on
// small matrices, for which they are illegal, and what they tell of large ones.
//
// $SPTUNE_TEST_VARIANTS and $SPTUNE_TEST_MATRICES choose some, as for test_spmv_gpu.
#include "kernels/registry.hpp"
#include "kernels/spmv/hub/popularity.hpp"
#include "matrix/generate.hpp"
#include "tests/gpu/near_columns.hpp"
#include "tests/gpu/needs_gpu.hpp"
#include "tests/gpu/spmv_runs.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <limits>
#include <numeric>
#include <span>

namespace sptune {
namespace {

template <class Types>
class SpmvNearGpu : public testing::Test {
  protected:
    void SetUp() override { SPTUNE_NEEDS_GPU(); }
};
using AllTypes = testing::Types<std::pair<float, std::int32_t>, std::pair<float, std::int64_t>,
                                std::pair<double, std::int32_t>, std::pair<double, std::int64_t>>;
TYPED_TEST_SUITE(SpmvNearGpu, AllTypes);

TYPED_TEST(SpmvNearGpu, HubColumnsHoldWhatTheyWereSaidTo) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const auto c = hub_columns<T, P>("hub columns");
    const DeviceCsr<T, P> a(c.a.view());
    int looked = 0;
    for (const auto& kernel : spmv_kernels<T, P>(Backend::cuda)) {
        if (kernel.variant.format != "hub") continue;
        SCOPED_TRACE(kernel.variant.id());
        const Params& params = kernel.variant.params;
        const bool illegal = !kernel.inspect(a.view(), c.features, params).illegal.empty();
        if (illegal) {
            std::cout << kernel.variant.id() << " is illegal here and not looked at\n";
            continue;
        }
        const LayoutEstimate told = kernel.estimate(a.view(), c.features, {&params, 1}).at(0);
        ASSERT_TRUE(std::isfinite(told.bytes));
        const auto storage = kernel.convert(a.view(), params, 1);
        const auto& s = static_cast<const cuda::HubStorage<T>&>(*storage);
        const auto nnz = static_cast<double>(a.view().nnz());
        EXPECT_NEAR(told.gathered, static_cast<double>(s.cold.values.size()), 0.02 * nnz);
        const auto parts = static_cast<double>(s.hot.row.size());
        EXPECT_GT(told.sums, 0.5 * parts);
        EXPECT_LT(told.sums, 2 * parts);
        ++looked;
    }
    EXPECT_GT(looked, 0);
}

/// Columns chosen at random: a sample shows some to be more popular than they are. And rows of just
/// as many entries as the sample goes over.
TYPED_TEST(SpmvNearGpu, ASampleMakesNoHubsOfColumnsChosenAtRandom) {
    using P = typename TypeParam::second_type;
    const auto compare = [](const GenerateRequest& request) {
        const auto a = generate<float, P>(request);
        std::vector<std::int64_t> count(static_cast<std::size_t>(a.cols));
        for (const index_t c : std::span(a.col_idx.data(), static_cast<std::size_t>(a.nnz())))
            ++count[static_cast<std::size_t>(c)];
        std::ranges::sort(count, std::greater<>());
        const int wanted = a.cols / 4;
        const auto held = std::accumulate(count.begin(), count.begin() + wanted, std::int64_t{0});
        const DeviceCsr<float, P> there(a.view());
        const auto groups =
            cuda::group_columns(there.view().col_idx, there.view().nnz(), there.view().cols);
        EXPECT_NEAR(groups.share_of(wanted),
                    static_cast<double>(held) / static_cast<double>(a.nnz()), 0.01);
    };
    compare({"per-row", {{"rows", 400'000}}, 3});
    compare({"per-row", {{"rows", 70'000}, {"per-row", 64}}, 4});
}

/// Empty bands, bands that are not full, all entries in bands; each entry a slot of its own.
TYPED_TEST(SpmvNearGpu, HubColumnsAndTilesOfSmallMatricesAreRight) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const TestStream stream;
    auto cases = awkward<T, P>();
    const std::string wanted = glob("SPTUNE_TEST_MATRICES"), kernels = glob("SPTUNE_TEST_VARIANTS");
    const auto add = [&](const char* name, index_t cols, const Rows& rows) {
        cases.push_back(make<T, P>(name, cols, rows));
    };
    Rows long_rows = random_rows(40, 70000, 20, 31);
    long_rows[3] = every(70000), long_rows[4].clear(), long_rows[39] = every(70000, 9);
    add("rows over many tiles", 70000, long_rows);
    add("a multiple of a tile", 100, Rows(64, every(100, 25)));
    Rows halves(5000);  // of each row one entry in a band, the other beside
    for (index_t i = 0; i < 5000; ++i) halves[static_cast<std::size_t>(i)] = {0, 5 * i + 4};
    add("one entry of two in a hub", 300000, halves);
    int ran = 0;
    for (const auto& c : cases) {
        if (c.a.nnz() == 0 || !matches(c.name, wanted)) continue;
        SpmvRuns<T, P> device(c);
        for (const auto& kernel : spmv_kernels<T, P>(Backend::cuda)) {
            if (!keeps_columns_near(kernel) || !has_room(kernel)) continue;
            if (!matches(kernel.variant.id(), kernels)) continue;
            const auto storage = kernel.convert(device.view(), kernel.variant.params, 1);
            EXPECT_EQ(device.wrong(kernel, *storage, stream), "")
                << kernel.variant.id() << " on " << c.name;
            ++ran;
        }
    }
    EXPECT_GT(ran, 0);
}

/// x of a hub column must not reach rows that have no entry there.
TYPED_TEST(SpmvNearGpu, HubColumnsAndTilesKeepWhatIsNotFiniteToTheirRows) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    Rows rows(300, {1, 5});
    rows[7] = {0, 5};
    const auto c = make<T, P>("one row has column 0", 10, rows);
    const DeviceCsr<T, P> a(c.a.view());
    Buffer<T> x(10, T{1});
    x[0] = std::numeric_limits<T>::infinity();
    const DeviceBuffer<T> there(x);
    DeviceBuffer<T> y(rows.size());
    for (const auto& kernel : spmv_kernels<T, P>(Backend::cuda)) {
        if (!keeps_columns_near(kernel) || !has_room(kernel)) continue;
        const auto storage = kernel.convert(a.view(), kernel.variant.params, 1);
        kernel.apply(*storage, T{1}, there.data(), T{0}, y.data(), {});
        const Buffer<T> got = y.to_host();
        for (std::size_t i = 0; i < got.size(); ++i)
            EXPECT_EQ(std::isfinite(got[i]), i != 7) << i << " by " << kernel.variant.id();
    }
}

/// Blocks with many bands, each of which has a few entries, and with several panels.
TYPED_TEST(SpmvNearGpu, TilesUseTheirSharedMemoryAgainAndAgain) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const TestStream stream;
    const std::string kernels = glob("SPTUNE_TEST_VARIANTS");
    constexpr index_t kWide = 18'000'001, kMany = sizeof(T) == 4 ? 6'000'000 : 3'000'000;
    Rows wide(64, {1, 17, kWide / 2});
    wide[7] = every(kWide, 20'480);
    wide[9].clear();
    Rows many(kMany);
    for (index_t i = 0; i < kMany; ++i) many[static_cast<std::size_t>(i)] = {i % 7 * 13};
    int ran = 0;
    const auto try_all = [&](const char* name, index_t cols, const Rows& rows) {
        const auto c = make<T, P>(name, cols, rows);
        SpmvRuns<T, P> device(c);
        for (const auto& kernel : spmv_kernels<T, P>(Backend::cuda)) {
            if (kernel.variant.format != "tiles2d" || !has_room(kernel)) continue;
            if (!matches(kernel.variant.id(), kernels)) continue;
            const auto storage = kernel.convert(device.view(), kernel.variant.params, 1);
            EXPECT_EQ(device.wrong(kernel, *storage, stream), "")
                << kernel.variant.id() << " on " << name;
            ++ran;
        }
    };
    try_all("a row over many bands", kWide, wide);
    try_all("many panels", 100, many);
    EXPECT_GT(ran, 0);
}

/// Bulk copies need x to be aligned to 16 bytes; users' vectors may begin anywhere.
TYPED_TEST(SpmvNearGpu, TilesTakeVectorsThatBeginAnywhere) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    constexpr index_t kSize = 30'011;
    const auto c = make<T, P>("scattered", kSize, random_rows(kSize, kSize, 3, 33));
    const DeviceCsr<T, P> a(c.a.view());
    Buffer<T> y(kSize);
    for (std::size_t shift = 0; shift < 16 / sizeof(T); ++shift) {
        DeviceBuffer<T> x(kSize + shift), got(kSize + shift);
        SPTUNE_CUDA(
            cudaMemcpy(x.data() + shift, c.x.data(), kSize * sizeof(T), cudaMemcpyHostToDevice));
        for (const auto& kernel : spmv_kernels<T, P>(Backend::cuda)) {
            if (kernel.variant.format != "tiles2d" || !has_room(kernel)) continue;
            const auto storage = kernel.convert(a.view(), kernel.variant.params, 1);
            kernel.apply(*storage, T{1}, x.data() + shift, T{0}, got.data() + shift, {});
            SPTUNE_CUDA(cudaMemcpy(y.data(), got.data() + shift, kSize * sizeof(T),
                                   cudaMemcpyDeviceToHost));
            for (index_t i = 0; i < kSize; ++i)
                ASSERT_TRUE(c.accepts(i, T{1}, T{0}, y[static_cast<std::size_t>(i)]))
                    << i << " by " << kernel.variant.id() << ", " << shift;
        }
    }
}

}  // namespace
}  // namespace sptune
