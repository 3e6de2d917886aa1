// What a sweep takes launches for, against what this GPU and its host do.
#include "features/features.hpp"
#include "kernels/registry.hpp"
#include "matrix/cuda/device_csr.hpp"
#include "matrix/generate.hpp"
#include "models/launching.hpp"
#include "tests/gpu/needs_gpu.hpp"
#include "tuner/cuda/helper_kernels.hpp"
#include "tuner/cuda/host_launch.hpp"
#include "tuner/cuda/sweep.hpp"
#include "tuner/cuda/timer.hpp"
#include "tuner/statistics.hpp"
#include "tuner/sweep.hpp"

#include <iostream>
#include <set>
#include <string>

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

TEST(LaunchingGpu, IsMeasuredOnce) {
    SPTUNE_NEEDS_GPU();
    const db::Device& device = cuda_device();
    ASSERT_TRUE(device.host_launch_us && device.launch_gap_us);
    EXPECT_GT(*device.host_launch_us, 0.5);
    EXPECT_LT(*device.host_launch_us, 50);
    EXPECT_EQ(*device.host_launch_us, host_launch_us());
    EXPECT_GE(*device.launch_gap_us, 0);
    EXPECT_LT(*device.launch_gap_us, 10);
}

TEST(LaunchingGpu, IsWhatALoopTakes) {
    SPTUNE_NEEDS_GPU();
    const CudaTimer timer;
    const auto loop_us = [&](int launches) {
        SPTUNE_CUDA(cudaStreamSynchronize(timer.stream()));
        const double start = steady_us();
        for (int i = 0; i < launches; ++i) cuda::empty_launch(timer.stream());
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
        EXPECT_NEAR(c.time->min, models::as_called_us(*c.device_us, *c.launches, launching),
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
