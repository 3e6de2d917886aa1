// What one short pass finds out, and choices that need no more.
#include "features/cuda/features.hpp"
#include "matrix/cuda/device_csr.hpp"
#include "matrix/generate.hpp"
#include "models/launch_bound.hpp"
#include "models/small_tiles.hpp"
#include "tests/gpu/needs_gpu.hpp"
#include "tuner/cuda/host_launch.hpp"
#include "tuner/cuda/select.hpp"
#include "tuner/default_models.hpp"
#include "tuner/kernel_index.hpp"
#include "tuner/plan.hpp"
#include "tuner/waiting.hpp"

#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace sptune {
namespace {

using tuner::Selection;
using tuner::SelectOptions;

template <class Types>
class FirstLookGpu : public testing::Test {
  protected:
    void SetUp() override { SPTUNE_NEEDS_GPU(); }
};
using AllTypes = testing::Types<std::pair<float, std::int32_t>, std::pair<float, std::int64_t>,
                                std::pair<double, std::int32_t>, std::pair<double, std::int64_t>>;
TYPED_TEST_SUITE(FirstLookGpu, AllTypes);

TYPED_TEST(FirstLookGpu, IsWhatFeaturesSay) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const std::vector<GenerateRequest> requests{{"power-law", {{"rows", 30000}}, 3},
                                                {"uniform", {{"rows", 1}, {"density", 1}}, 3},
                                                {"stencil-2d-5", {{"rows", 400000}}, 3},
                                                {"uniform", {{"rows", 50}, {"density", 0}}, 3}};
    for (int repeat = 0; repeat < 2; ++repeat)  // answers of the one before are not taken for these
        for (const GenerateRequest& request : requests) {
            const Csr<T, P> a = generate<T, P>(request);
            const Features f = extract_features(a.view());
            const DeviceCsr<T, P> there(a.view());
            const FirstLook look = first_look_on_device(there.view());
            EXPECT_EQ(look.fingerprint, f.fingerprint) << request.family << a.rows;
            EXPECT_EQ(look.longest_row, f.row_max) << request.family << a.rows;
            EXPECT_TRUE(look.readable) << request.family << a.rows;
        }
}

TYPED_TEST(FirstLookGpu, TellsWhatLeadsOutOfTheArrays) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const Csr<T, P> good = generate<T, P>({"uniform", {{"rows", 3000}, {"density", 0.002}}, 3});
    const DeviceCsr<T, P> a(good.view());
    const auto readable = [&] { return first_look_on_device(a.view()).readable; };
    /// With one number of an array changed.
    const auto readable_with = [&]<class N>(const DeviceBuffer<N>& array, std::size_t at,
                                            N number) {
        auto* const place = const_cast<N*>(array.data()) + at;
        N before;
        SPTUNE_CUDA(cudaMemcpy(&before, place, sizeof before, cudaMemcpyDeviceToHost));
        SPTUNE_CUDA(cudaMemcpy(place, &number, sizeof number, cudaMemcpyHostToDevice));
        const bool is = readable();
        SPTUNE_CUDA(cudaMemcpy(place, &before, sizeof before, cudaMemcpyHostToDevice));
        return is;
    };
    EXPECT_TRUE(readable());
    for (const index_t wrong : {-1, 3000})
        EXPECT_FALSE(readable_with(a.col_idx, a.col_idx.size() / 2, wrong)) << wrong;
    const auto nnz = static_cast<P>(good.nnz());
    for (const P wrong : {P{-1}, nnz + 1, P{0}})
        EXPECT_FALSE(readable_with(a.row_ptr, 1000, static_cast<P>(wrong))) << wrong;
    EXPECT_FALSE(readable_with(a.row_ptr, 0, P{1})) << "does not begin with 0";
    EXPECT_FALSE(readable_with(a.row_ptr, 3000, static_cast<P>(nnz - 1))) << "ends elsewhere";
    EXPECT_TRUE(readable()) << "what was wrong is forgotten";
}

/// Each thread gets its own answers, also after looks that nobody waited for.
TEST(FirstLookGpuMore, ThreadsLookAtOnce) {
    SPTUNE_NEEDS_GPU();
    std::vector<Csr<double>> hosts;
    for (const int rows : {3000, 40000, 250000, 900})
        hosts.push_back(generate<double, std::int32_t>({"power-law", {{"rows", rows}}, 3}));
    std::atomic<int> wrong{0};
    const auto look = [&](const Csr<double>& host) {
        const std::uint64_t print = fingerprint(host.view(), 1);
        const DeviceCsr<double, std::int32_t> a(host.view());
        for (int i = 0; i < 200; ++i) {
            if (i % 3 == 0) begin_look_on_device(a.view());  // and dropped
            wrong += first_look_on_device(a.view()).fingerprint != print;
        }
    };
    std::vector<std::thread> threads;
    for (const Csr<double>& host : hosts) threads.emplace_back([&] { look(host); });
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(wrong, 0);
}

class ChoiceByLaunches : public testing::Test {
  protected:
    void SetUp() override {
        SPTUNE_NEEDS_GPU();
        if (tuner::host_launch_us() < 2)
            GTEST_SKIP() << "launches take " << tuner::host_launch_us()
                         << " us here, so that products wait for them on no matrix of this test";
    }
    static Selection select(const Csr<double>& a, const SelectOptions& options = {}) {
        return tuner::select_spmv(a.view(), Backend::cuda, options);
    }
    const Csr<double> small_ =
        generate<double, std::int32_t>({"stencil-2d-5", {{"rows", 4000}}, 3});
};

TEST_F(ChoiceByLaunches, NeedsNoFeatures) {
    const Selection s = select(small_);
    EXPECT_EQ(s.source, tuner::Source::heuristic);
    EXPECT_EQ(s.model, models::kLaunchBoundModel);
    EXPECT_FALSE(s.features);
    EXPECT_NE(s.chosen.id.find(".csr.vector."), std::string::npos) << s.chosen.id;
    EXPECT_EQ(s.chosen.convert_us, 0);
    EXPECT_NE(s.why.find("no kernel is faster in a loop"), std::string::npos) << s.why;
    SelectOptions strict;
    strict.constraints.deterministic = true;
    EXPECT_EQ(select(small_, strict).model, models::kLaunchBoundModel);
}

/// One row holds half of the entries.
template <class T, class P>
Csr<T, P> skewed() {
    auto a = generate<T, P>({"stencil-2d-5", {{"rows", 4000}}, 3});
    for (std::size_t i = 2000; i < a.row_ptr.size(); ++i) a.row_ptr[i] = static_cast<P>(a.nnz());
    return a;
}

template <class Types>
class ChoiceOfTiles : public testing::Test {
  protected:
    void SetUp() override { SPTUNE_NEEDS_GPU(); }
};
TYPED_TEST_SUITE(ChoiceOfTiles, AllTypes);

TYPED_TEST(ChoiceOfTiles, NeedsNoFeatures) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const Selection s = tuner::select_spmv(skewed<T, P>().view(), Backend::cuda, SelectOptions{});
    EXPECT_TRUE(s.at_sight);
    EXPECT_EQ(s.model, models::kSmallTilesModel);
    EXPECT_FALSE(s.features);
    EXPECT_NE(s.chosen.id.find(".csr.tiles."), std::string::npos) << s.chosen.id;
    EXPECT_LT(s.chosen.predicted_us, s.baseline.predicted_us);
}

TYPED_TEST(ChoiceOfTiles, MakesPlansThatMultiply) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const Csr<T, P> host = skewed<T, P>();
    const DeviceCsr<T, P> a(host.view());
    const auto& kernels = tuner::KernelIndex<T, P>::of(Backend::cuda);
    const DeviceBuffer<T> x(Buffer<T>(static_cast<std::size_t>(a.cols), T{1}));
    DeviceBuffer<T> y(static_cast<std::size_t>(a.rows));
    tuner::PlanOptions options;
    options.online = tuner::Online::never;
    tuner::Plan<T, P> plan(tuner::choose_on_device(a.view()), kernels, options);
    EXPECT_TRUE(plan.selection().at_sight);
    EXPECT_EQ(plan.current(), plan.selection().chosen.id);
    plan.apply(1, x.data(), 0, y.data());
    const Buffer<T> got = y.to_host();
    for (std::size_t i = 0; i < got.size(); ++i) {
        double sum = 0, of_sizes = 0;
        for (auto k = host.row_ptr[i]; k < host.row_ptr[i + 1]; ++k) {
            sum += host.values[static_cast<std::size_t>(k)];
            of_sizes += std::abs(host.values[static_cast<std::size_t>(k)]);
        }
        const double unit = std::numeric_limits<T>::epsilon();
        ASSERT_NEAR(got[i], sum, 100 * unit * of_sizes) << i;
    }
}

TEST_F(ChoiceByLaunches, IsLeftToModelsOtherwise) {
    const auto by_model = [&](const Csr<double>& a, const SelectOptions& options,
                              const char* what) {
        const Selection s = select(a, options);
        EXPECT_NE(s.model, models::kLaunchBoundModel) << what;
        EXPECT_TRUE(s.features) << what;
        return s;
    };
    by_model(generate<double, std::int32_t>({"stencil-2d-5", {{"rows", 1000000}}, 3}), {}, "large");
    SelectOptions options;
    options.at_sight = tuner::AtSight::launch_bound;
    by_model(skewed<double, std::int32_t>(), options, "a long row");
    options = {};
    options.in_graphs = true;
    const Selection s = by_model(small_, options, "in graphs");
    EXPECT_TRUE(s.in_graphs);
    EXPECT_NE(s.why.find("CUDA graphs"), std::string::npos) << s.why;
    options = {};
    options.constraints.variants = "*.sell.*";
    by_model(small_, options, "only some variants");
    options = {};
    options.constraints.memory_bytes = 1000;
    by_model(small_, options, "a cap on memory");
    options = {};
    options.models.emplace();
    EXPECT_TRUE(select(small_, options).model.empty()) << "switched off";
}

TEST_F(ChoiceByLaunches, RefusesAMatrixThatLeadsOutOfItsArrays) {
    for (const int rows : {400, 6400}) {
        Csr<double> a = generate<double, std::int32_t>({"stencil-2d-5", {{"rows", rows}}, 3});
        a.col_idx[7] = rows;
        try {
            select(a);
            ADD_FAILURE() << rows;
        } catch (const UsageError& e) {
            EXPECT_NE(std::string(e.what()).find("col_idx[7]"), std::string::npos) << e.what();
        }
    }
}

TEST_F(ChoiceByLaunches, MakesPlansThatHaveSettled) {
    const DeviceCsr<double, std::int32_t> a(small_.view());
    const auto& kernels = tuner::KernelIndex<double, std::int32_t>::of(Backend::cuda);
    const DeviceBuffer<double> x(Buffer<double>(static_cast<std::size_t>(a.cols), 1.0));
    DeviceBuffer<double> y(static_cast<std::size_t>(a.rows));
    const double first_choice_us = tuner::choosing_us(Backend::cuda);
    for (const bool may_wait : {false, true}) {
        tuner::PlanOptions options;
        options.may_wait = may_wait;
        tuner::Plan<double, std::int32_t> plan(tuner::choose_on_device(a.view()), kernels, options);
        EXPECT_TRUE(plan.settled()) << may_wait;
        const std::string first = plan.current();
        for (int call = 0; call < 500; ++call) plan.apply(1, x.data(), 0, y.data());
        EXPECT_EQ(plan.current(), first) << may_wait;
        const Buffer<double> got = y.to_host();
        for (std::size_t i = 0; i < got.size(); ++i) {
            double sum = 0;
            for (auto k = small_.row_ptr[i]; k < small_.row_ptr[i + 1]; ++k)
                sum += small_.values[static_cast<std::size_t>(k)];
            ASSERT_NEAR(got[i], sum, 1e-12) << i;
        }
        EXPECT_EQ(plan.bytes_beside(), 0u) << "no conversion";
        EXPECT_NE(plan.why().find("no kernel is faster in a loop"), std::string::npos)
            << plan.why();
    }
    EXPECT_EQ(tuner::choosing_us(Backend::cuda), first_choice_us) << "no model was loaded";
    tuner::PlanOptions options;
    options.online = tuner::Online::always;
    const tuner::Plan<double, std::int32_t> tried(tuner::choose_on_device(a.view()), kernels,
                                                  options);
    EXPECT_FALSE(tried.settled()) << "asked to try";
    EXPECT_TRUE(tried.selection().features);
}

/// A plan for graphs has made up its mind before the first call, which is recorded.
TEST_F(ChoiceByLaunches, PlansForGraphsConvertAtOnce) {
    const Csr<double> host =
        generate<double, std::int32_t>({"stencil-3d-27", {{"rows", 125000}}, 3});
    const DeviceCsr<double, std::int32_t> a(host.view());
    const auto& kernels = tuner::KernelIndex<double, std::int32_t>::of(Backend::cuda);
    tuner::PlanOptions options;
    options.select.in_graphs = true;
    const tuner::Plan<double, std::int32_t> plan(tuner::choose_on_device(a.view()), kernels,
                                                 options);
    EXPECT_TRUE(plan.settled());
    EXPECT_EQ(plan.current(), plan.selection().chosen.id);
    EXPECT_NE(plan.current(), plan.selection().safe.id)
        << "a stencil of this size has faster kernels";
    EXPECT_GT(plan.bytes_beside(), 0u) << plan.why();
}

}  // namespace
}  // namespace sptune
