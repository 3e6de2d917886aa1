#include "kernels/cuda/launch.hpp"
#include "kernels/cuda_probe.hpp"
#include "matrix/cuda/per_device.hpp"
#include "tuner/cuda/helper_kernels.hpp"
#include "tuner/cuda/host_launch.hpp"
#include "tuner/cuda/sweep.hpp"
#include "tuner/cuda/timer.hpp"
#include "tuner/host.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace sptune::tuner {
namespace {

constexpr std::uint64_t kSmallest = 1 << 20;
constexpr int kPoints = 9, kRepeats = 7;

template <class Work>
double best_of(CudaTimer& timer, int calls, const Work& work) {
    timer.forget();
    double best = timer.per_call(work, calls, false);
    for (int i = 1; i < kRepeats; ++i) best = std::min(best, timer.per_call(work, calls, false));
    return best;
}

std::vector<db::BandwidthPoint> measure_reading(CudaTimer& timer, std::uint64_t l2_bytes) {
    const std::uint64_t most = std::min(16 * l2_bytes, device_available_memory() / 4);
    const DeviceBuffer<char> data(most);
    SPTUNE_CUDA(cudaMemset(const_cast<char*>(data.data()), 1, data.bytes()));
    std::vector<db::BandwidthPoint> curve;
    const double ratio = static_cast<double>(most) / kSmallest;
    for (int i = 0; i < kPoints; ++i) {
        const auto bytes = static_cast<std::uint64_t>(
            kSmallest * std::pow(ratio, static_cast<double>(i) / (kPoints - 1)));
        // Small sets are read many times in one launch: the level's bandwidth, not the launch's.
        const int passes = static_cast<int>(std::max<std::uint64_t>(most / bytes, 1));
        const double us =
            best_of(timer, 2, [&] { cuda::read_all(data.data(), bytes, passes, timer.stream()); });
        curve.push_back({bytes, static_cast<double>(bytes) * passes / us / 1e3});
    }
    return curve;
}

/// Bytes read plus bytes written.
double measure_copy(CudaTimer& timer, std::uint64_t l2_bytes) {
    const std::uint64_t bytes = std::min(8 * l2_bytes, device_available_memory() / 8);
    DeviceBuffer<char> from(bytes), to(bytes);
    from.fill_bytes(1);
    const double us = best_of(timer, 2, [&] {
        SPTUNE_CUDA(cudaMemcpyAsync(to.data(), from.data(), bytes, cudaMemcpyDeviceToDevice,
                                    timer.stream()));
    });
    return 2 * static_cast<double>(bytes) / us / 1e3;
}

int attribute(cudaDeviceAttr which, int device) {
    int value = 0;
    SPTUNE_CUDA(cudaDeviceGetAttribute(&value, which, device));
    return value;
}

/// From one kernel to the next in a stream, while the host is ahead, beyond that in a graph.
double measure_gap(CudaTimer& timer, bool early) {
    constexpr int kFew = 32, kMany = 96, kInGraph = 64;
    // Longer than the host needs to enqueue them.
    const int ahead_ns = static_cast<int>(1e3 * std::max(1e3, 2 * kMany * host_launch_us()));
    const auto launch = [&] { cuda::empty_launch(early, timer.stream()); };
    DeviceBuffer<float> mhz(1);
    const auto stream_us = [&](int launches) {
        return best_of(timer, 1, [&] {
            cuda::keep_busy(ahead_ns, mhz.data(), timer.stream());
            for (int i = 0; i < launches; ++i) launch();
        });
    };
    const double in_stream_us = (stream_us(kMany) - stream_us(kFew)) / (kMany - kFew);
    return std::max(in_stream_us - best_of(timer, kInGraph, launch), 0.0);
}

db::Device find_out() {
    db::Device device = identify_cuda();
    CudaTimer timer;
    device.bandwidth_curve = measure_reading(timer, device.llc_bytes);
    device.bandwidth_gbs = device.bandwidth_curve.back().gbs;
    device.copy_gbs = measure_copy(timer, device.llc_bytes);
    device.launch_us = best_of(timer, 32, [&] { cuda::empty_launch(false, timer.stream()); });
    device.host_launch_us = host_launch_us();
    if (*device.host_launch_us <= 0) device.host_launch_us = models::Launching().host_us;
    device.early_gap_us = measure_gap(timer, true);
    device.launch_gap_us = measure_gap(timer, false);
    return device;
}

}  // namespace

namespace {

/// 13000 is "13.0".
std::string version(cudaError_t (*ask)(int*)) {
    int number = 0;
    SPTUNE_CUDA(ask(&number));
    return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

db::Device identify_device(int index) {
    cudaDeviceProp p{};
    SPTUNE_CUDA(cudaGetDeviceProperties(&p, index));
    db::Device device;
    device.backend = to_string(Backend::cuda);
    device.name = p.name;
    device.key = slug(p.name);
    device.simd = fmt::format("sm_{}{}", p.major, p.minor);
    device.threads = p.multiProcessorCount;
    device.llc_bytes = static_cast<std::uint64_t>(p.l2CacheSize);
    device.memory_bytes = p.totalGlobalMem;
    device.driver = version(cudaDriverGetVersion);
    device.toolkit = version(cudaRuntimeGetVersion);
    return device;
}

/// Two transfers per clock over the whole width of the bus.
double peak_gbs_of(int index) {
    const double clock_khz = attribute(cudaDevAttrMemoryClockRate, index);
    const double bus_bytes = attribute(cudaDevAttrGlobalMemoryBusWidth, index) / 8.0;
    return 2 * clock_khz * bus_bytes / 1e6;
}

}  // namespace

db::Device identify_cuda() {
    require_cuda();
    // Asking the driver takes as long as hundreds of small products.
    static sptune::cuda::PerDevice<db::Device> known;
    return known.get([] { return identify_device(sptune::cuda::current_device()); });
}

double peak_bandwidth_gbs() {
    require_cuda();
    static sptune::cuda::PerDevice<double> known;
    return known.get([] { return peak_gbs_of(sptune::cuda::current_device()); });
}

const db::Device& cuda_device() {
    require_cuda();
    static sptune::cuda::PerDevice<db::Device> known;
    return known.get(find_out);
}

}  // namespace sptune::tuner
