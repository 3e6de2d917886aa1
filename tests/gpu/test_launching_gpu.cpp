// What a sweep takes launches for, against what this GPU and its host do.
#include "features/features.hpp"
#include "kernels/registry.hpp"
#include "matrix/cuda/device_csr.hpp"
#include "matrix/generate.hpp"
#include "models/launching.hpp"
#include "tests/gpu/needs_gpu.hpp"
#include "tuner/cuda/helper_kernels.hpp"
#include "tuner/cuda/host_launch.hpp"
#include "tuner/cuda/select.hpp"
#include "tuner/cuda/sweep.hpp"
#include "tuner/cuda/timer.hpp"
#include "tuner/kernel_index.hpp"
#include "tuner/plan.hpp"
#include "tuner/statistics.hpp"
#include "tuner/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace sptune::tuner {
namespace {

using Kernel = SpmvKernel<double, std::int32_t>;

/// Of a call that enqueues to `stream`.
template <class Call>
std::size_t launches_in(cudaStream_t stream, const Call& call) {
    cudaGraph_t graph = nullptr;
    SPTUNE_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    call();
    SPTUNE_CUDA(cudaStreamEndCapture(stream, &graph));
    std::size_t count = 0;
    SPTUNE_CUDA(cudaGraphGetNodes(graph, nullptr, &count));
    SPTUNE_CUDA(cudaGraphDestroy(graph));
    return count;
}

TEST(LaunchingGpu, KernelsLaunchAsOftenAsChoicesReckon) {
    SPTUNE_NEEDS_GPU();
    // Large enough for every format but those for millions of entries.
    const Csr<double> host =
        generate<double, std::int32_t>({"uniform", {{"rows", 20000}, {"density", 6e-4}}, 5});
    const Features features = extract_features(host.view());
    const DeviceCsr<double, std::int32_t> a(host.view());
    const DeviceBuffer<double> x(Buffer<double>(static_cast<std::size_t>(a.cols), 1.0));
    DeviceBuffer<double> y(static_cast<std::size_t>(a.rows));
    const CudaTimer timer;
    std::set<std::string> seen;
    for (const Kernel& kernel : spmv_kernels<double, std::int32_t>(Backend::cuda)) {
        const Variant& v = kernel.variant;
        std::string name = v.format + "." + v.algorithm;
        if (v.vendor) name += to_string(v.params);
        if (seen.contains(name)) continue;
        if (!kernel.inspect(a.view(), features, v.params).illegal.empty()) continue;
        const auto converted = kernel.convert(a.view(), v.params, 0);
        const std::size_t launches = launches_in(timer.stream(), [&] {
            kernel.apply(*converted, 1, x.data(), 0, y.data(), Launch{1, timer.stream()});
        });
        EXPECT_EQ(launches, static_cast<std::size_t>(models::launches_of(v))) << v.id();
        seen.insert(name);
    }
    EXPECT_GE(seen.size(), 12u);
    EXPECT_TRUE(seen.contains("coo.atomic") && seen.contains("csr.tiles"));
}

/// Products that read what the one before wrote, and write what it reads. With `waiting` the host
/// waits after each.
std::vector<double> chain(const Kernel& kernel, const Storage& a, index_t rows, bool waiting,
                          cudaStream_t stream) {
    const auto n = static_cast<std::size_t>(rows);
    Buffer<double> start(n);
    for (std::size_t i = 0; i < n; ++i) start[i] = 1 + static_cast<double>(i % 7);
    DeviceBuffer<double> x(start), y(start);
    SPTUNE_CUDA(cudaDeviceSynchronize());
    constexpr int kSteps = 40;
    for (int step = 0; step < kSteps; ++step) {
        kernel.apply(a, 0.2, x.data(), 0.5, y.data(), Launch{1, stream});
        if (waiting) SPTUNE_CUDA(cudaStreamSynchronize(stream));
        std::swap(x, y);
    }
    SPTUNE_CUDA(cudaStreamSynchronize(stream));
    const Buffer<double> out = x.to_host();
    return {out.begin(), out.end()};
}

/// Chains of one kernel of each algorithm that is legal, whose names are returned.
std::set<std::string> check_chains(const Csr<double>& host, const std::string& what) {
    const Features features = extract_features(host.view());
    const DeviceCsr<double, std::int32_t> a(host.view());
    const CudaTimer timer;
    constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;  // ELL of a graph takes far more
    std::set<std::string> seen;
    for (const Kernel& kernel : spmv_kernels<double, std::int32_t>(Backend::cuda)) {
        const Variant& v = kernel.variant;
        const std::string name = v.format + "." + v.algorithm;
        if (v.vendor || seen.contains(name)) continue;
        const Footprint f = kernel.inspect(a.view(), features, v.params);
        if (!f.illegal.empty() || f.storage_bytes > kMostBytes) continue;
        const auto converted = kernel.convert(a.view(), v.params, 0);
        const auto expected = chain(kernel, *converted, a.rows, true, timer.stream());
        const auto found = chain(kernel, *converted, a.rows, false, timer.stream());
        double worst = 0, most = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            worst = std::max(worst, std::abs(found[i] - expected[i]));
            most = std::max(most, std::abs(expected[i]));
        }
        EXPECT_GT(most, 0);
        EXPECT_LE(worst, v.deterministic ? 0 : 1e-12 * most) << v.id() << ", " << what;
        seen.insert(name);
    }
    return seen;
}

TEST(LaunchingGpu, AProductWaitsForTheOneBeforeIt) {
    SPTUNE_NEEDS_GPU();
    // As many rows as the GPU has threads, and more.
    for (const double rows : {900.0, 250e3, 1e6}) {
        const auto seen = check_chains(
            generate<double, std::int32_t>({"stencil-2d-5", {{"rows", rows}}, 5}), "a stencil");
        EXPECT_GE(seen.size(), 12u);
        for (const char* name : {"coo.atomic", "coo.warp", "csc.scatter", "csr.merge"})
            EXPECT_TRUE(seen.contains(name)) << name;
    }
}

/// Kernels for millions of entries whose columns are unequally popular, some of which read x before
/// they wait, since they are launched in order.
TEST(LaunchingGpu, SoDoThoseOfLargeGraphs) {
    SPTUNE_NEEDS_GPU();
    const auto of_graph =
        check_chains(generate<double, std::int32_t>({"rmat", {{"rows", 1 << 18}}, 5}), "a graph");
    for (const char* name : {"hub.bands", "tiles2d.shared"})
        EXPECT_TRUE(of_graph.contains(name)) << name;
    const auto of_wide = check_chains(
        generate<double, std::int32_t>({"per-row", {{"rows", 1 << 21}, {"per-row", 2}}, 5}),
        "columns of many strips");
    for (const char* name : {"strips.tiles", "strips.rows"})
        EXPECT_TRUE(of_wide.contains(name)) << name;
}

/// The same with several vectors at once, of a matrix with long rows and short ones.
TEST(LaunchingGpu, SeveralVectorsWaitAsWell) {
    SPTUNE_NEEDS_GPU();
    const Csr<double> host = generate<double, std::int32_t>({"power-law", {{"rows", 50000}}, 5});
    const DeviceCsr<double, std::int32_t> a(host.view());
    const CudaTimer timer;
    const auto& kernels = KernelIndex<double, std::int32_t>::of(Backend::cuda);
    PlanOptions options;
    options.online = Online::never;
    options.select.constraints.variants = "*.csr.*";
    Plan<double, std::int32_t> plan(choose_on_device(a.view()), kernels, options);
    constexpr std::size_t kVectors = 8;
    const auto n = static_cast<std::size_t>(a.rows);
    Buffer<double> start(kVectors * n);
    for (std::size_t i = 0; i < start.size(); ++i) start[i] = 1 + static_cast<double>(i % 7);
    for (const bool by_rows : {false, true}) {
        const auto vectors = [&]<class T>(T* data) {
            return by_rows ? Vectors<T>::row_by_row(data, kVectors)
                           : Vectors<T>::one_by_one(data, n);
        };
        const auto chained = [&](bool waiting) {
            DeviceBuffer<double> x(start), y(start);
            SPTUNE_CUDA(cudaDeviceSynchronize());
            for (int step = 0; step < 20; ++step) {
                plan.apply_many(0.2, vectors(static_cast<const double*>(x.data())), 0.5,
                                vectors(y.data()), kVectors, timer.stream());
                if (waiting) SPTUNE_CUDA(cudaStreamSynchronize(timer.stream()));
                std::swap(x, y);
            }
            SPTUNE_CUDA(cudaStreamSynchronize(timer.stream()));
            return x.to_host();
        };
        chained(true);  // whatever is measured or allocated once
        const Buffer<double> expected = chained(true), found = chained(false);
        double worst = 0, most = 0;
        for (std::size_t i = 0; i < expected.size(); ++i) {
            worst = std::max(worst, std::abs(found[i] - expected[i]));
            most = std::max(most, std::abs(expected[i]));
        }
        EXPECT_GT(most, 0);
        EXPECT_LE(worst, 1e-12 * most) << (by_rows ? "row by row" : "one by one");
    }
}

TEST(LaunchingGpu, IsMeasured) {
    SPTUNE_NEEDS_GPU();
    const db::Device& device = cuda_device();
    ASSERT_TRUE(device.host_launch_us && device.early_gap_us && device.launch_gap_us);
    EXPECT_GT(*device.host_launch_us, 0.5);
    EXPECT_LT(*device.host_launch_us, 50);
    EXPECT_GE(*device.launch_gap_us, 0);
    EXPECT_LT(*device.launch_gap_us, 10);
    EXPECT_LE(*device.early_gap_us, *device.launch_gap_us + 0.1);
    std::cout << "gaps " << *device.early_gap_us << " and " << *device.launch_gap_us << " us\n";
}

TEST(LaunchingGpu, IsWhatALoopTakes) {
    SPTUNE_NEEDS_GPU();
    const CudaTimer timer;
    const auto loop_us = [&](int launches) {
        SPTUNE_CUDA(cudaStreamSynchronize(timer.stream()));
        const double start = steady_us();
        for (int i = 0; i < launches; ++i) cuda::empty_launch(true, timer.stream());
        SPTUNE_CUDA(cudaStreamSynchronize(timer.stream()));
        return (steady_us() - start) / launches;
    };
    loop_us(100);
    std::vector<double> us;
    for (int i = 0; i < 9; ++i) us.push_back(loop_us(1000));
    std::cout << "from launch to launch: " << median_of(us) << " us, reckoned " << host_launch_us()
              << "\n";
    EXPECT_GT(host_launch_us(), 0.6 * median_of(us));
    EXPECT_LT(host_launch_us(), 1.6 * median_of(us));
}

/// Of kernels that wait for launches, of two launches, and of a vendor.
TEST(LaunchingGpu, ALoopTakesWhatIsReckoned) {
    SPTUNE_NEEDS_GPU();
    const models::Launching launching = models::launching_of(cuda_device());
    for (const double rows : {2e3, 1e5}) {
        const Csr<double> host =
            generate<double, std::int32_t>({"stencil-2d-5", {{"rows", rows}}, 5});
        const Features features = extract_features(host.view());
        const DeviceCsr<double, std::int32_t> a(host.view());
        const DeviceBuffer<double> x(Buffer<double>(static_cast<std::size_t>(a.cols), 1.0));
        DeviceBuffer<double> y(static_cast<std::size_t>(a.rows));
        CudaTimer timer(launching);
        std::set<std::string> seen;
        for (const Kernel& kernel : spmv_kernels<double, std::int32_t>(Backend::cuda)) {
            const Variant& v = kernel.variant;
            const std::string name = v.format + "." + v.algorithm;
            if (!matches(name, "csr.vector,csr.merge,coo.atomic,cusparse.csr") ||
                seen.contains(name))
                continue;
            const auto converted = kernel.convert(a.view(), v.params, 0);
            const auto call = [&] {
                kernel.apply(*converted, 1, x.data(), 0, y.data(), Launch{1, timer.stream()});
            };
            timer.forget();
            const double reckoned_us = timer.per_call(call, 64, false);
            std::vector<double> us;
            for (int i = 0; i < 9; ++i) {
                constexpr int kCalls = 1000;
                SPTUNE_CUDA(cudaStreamSynchronize(timer.stream()));
                const double start = steady_us();
                for (int k = 0; k < kCalls; ++k) call();
                SPTUNE_CUDA(cudaStreamSynchronize(timer.stream()));
                us.push_back((steady_us() - start) / kCalls);
            }
            std::cout << name << ", " << rows << " rows: a loop takes " << median_of(us)
                      << " us, reckoned " << reckoned_us << "\n";
            EXPECT_GT(reckoned_us, 0.65 * median_of(us)) << v.id();
            EXPECT_LT(reckoned_us, 1.5 * median_of(us)) << v.id();
            seen.insert(name);
        }
        EXPECT_GE(seen.size(), 3u);
    }
}

TEST(LaunchingGpu, TimesAreThoseOfAProgramThatLaunchesEachKernel) {
    SPTUNE_NEEDS_GPU();
    const Csr<double> a = generate<double, std::int32_t>({"uniform", {{"rows", 2000}}, 5});
    SweepOptions options;
    options.variants = "*.coo.atomic.*,*.csr.vector.*,*.csr.merge.*";
    const db::Entry entry =
        sweep_spmv(a.view(), extract_features(a.view()), Backend::cuda, options).entry;
    const models::Launching launching = models::launching_of(entry.device);
    int several = 0;
    for (const db::Candidate& c : entry.candidates) {
        if (c.status != db::Status::ok || !c.launches) continue;
        ASSERT_TRUE(c.device_us && c.time) << c.id;
        EXPECT_NEAR(c.time->min,
                    models::as_called_us(*c.device_us, *c.launches, *c.launches, launching),
                    0.01 * c.time->min)
            << c.id;
        several += *c.launches > 1;
    }
    EXPECT_GT(several, 0);
    const db::Candidate* winner = db::find(entry, entry.winner);
    ASSERT_NE(winner, nullptr);
    EXPECT_EQ(winner->launches, 1) << winner->id << " takes more of a program's time";
}

}  // namespace
}  // namespace sptune::tuner
