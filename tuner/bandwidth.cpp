#include "tuner/bandwidth.hpp"

#include "kernels/parallel.hpp"
#include "matrix/buffer.hpp"
#include "matrix/error.hpp"
#include "matrix/lasting.hpp"
#include "matrix/memory.hpp"
#include "matrix/memory_for.hpp"
#include "tuner/host.hpp"
#include "tuner/identify.hpp"
#include "tuner/measure.hpp"
#include "tuner/stream.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>

#include <omp.h>

namespace sptune::tuner {
namespace {

constexpr std::uint64_t kSmallest = 16 << 10;
constexpr std::uint64_t kEnough = 256 << 20;
constexpr int kPoints = 12;
constexpr std::size_t kGrain = 64;  // words; stream_sum's step

/// Words of part `part` when `words` are cut into `parts` whole numbers of grains.
std::size_t grain_begin(std::size_t words, int parts, int part) {
    return static_cast<std::size_t>(
               part_begin(static_cast<std::int64_t>(words / kGrain), parts, part)) *
           kGrain;
}

/// Best of several timed passes over the first `words` words, in GB/s. Threads stay in one parallel
/// region, so that a small set shows the cache and not the cost of starting them.
double read_gbs(const Buffer<std::uint64_t>& data, std::size_t words, int threads) {
    constexpr double kPointUs = 20'000;
    constexpr std::size_t kRepeatWords = std::size_t{4} << 20;  // about a millisecond's worth
    constexpr int kRepeats = 12, kFewest = 3;
    double best_us = std::numeric_limits<double>::infinity(), start = 0;
    std::uint64_t sink = 0;
    const int passes = static_cast<int>(std::max<std::size_t>(kRepeatWords / words, 1));
    int repeat = 0;
    bool done = false;
    const double begin = steady_us();
#pragma omp parallel num_threads(threads) reduction(+ : sink)
    {
        const int part = omp_get_thread_num(), parts = omp_get_num_threads();
        const std::size_t from = grain_begin(words, parts, part);
        const std::size_t size = grain_begin(words, parts, part + 1) - from;
        while (!done) {
#pragma omp barrier
#pragma omp master
            start = steady_us();
            for (int i = 0; i < passes; ++i) sink += stream_sum(data.data() + from, size);
#pragma omp barrier
#pragma omp master
            {
                const double now = steady_us(), us = (now - start) / passes;
                best_us = std::min(best_us, us);
                ++repeat;
                done = repeat >= kRepeats || (repeat >= kFewest && now - begin > kPointUs);
            }
#pragma omp barrier
        }
    }
    static std::atomic<std::uint64_t> keep;
    keep.store(sink, std::memory_order_relaxed);
    return static_cast<double>(words * sizeof(std::uint64_t)) / best_us / 1e3;
}

}  // namespace

std::vector<db::BandwidthPoint> measure_bandwidth(int threads, const std::atomic<bool>* stop) {
    // Filling a gigabyte would take most of the time, for the same number.
    const std::uint64_t llc = host().llc_bytes,
                        wanted = std::min(4 * llc, std::max(2 * llc, kEnough)),
                        most = available_memory() / 8;
    const std::uint64_t largest = std::max(std::min(wanted, most), 2 * kSmallest);
    auto data = with_memory_for("measuring the bandwidth of this machine", [&] {
        return Buffer<std::uint64_t>(largest / sizeof(std::uint64_t) / kGrain * kGrain);
    });
    // Each thread touches its own part first, as kernels do.
#pragma omp parallel num_threads(threads)
    {
        const int part = omp_get_thread_num(), parts = omp_get_num_threads();
        std::fill(data.data() + grain_begin(data.size(), parts, part),
                  data.data() + grain_begin(data.size(), parts, part + 1), 1);
    }
    std::vector<db::BandwidthPoint> curve;
    const double ratio = static_cast<double>(data.bytes()) / kSmallest;
    for (int i = 0; i < kPoints; ++i) {
        if (stop && stop->load(std::memory_order_relaxed))
            throw Error("interrupted while the bandwidth of this machine was measured");
        const double bytes = kSmallest * std::pow(ratio, static_cast<double>(i) / (kPoints - 1));
        const std::size_t words = std::min(
            static_cast<std::size_t>(bytes) / sizeof(std::uint64_t) / kGrain * kGrain, data.size());
        curve.push_back({words * sizeof(std::uint64_t), read_gbs(data, words, threads)});
    }
    return curve;
}

const db::Device& cpu_device(int threads, const std::atomic<bool>* stop) {
    static std::mutex mutex;
    // By threads; references into it stay valid.
    static auto& devices = lasting<std::map<int, db::Device>>();
    threads = resolve_threads(threads);
    const std::lock_guard lock(mutex);
    db::Device& device = devices[threads];
    if (!device.bandwidth_curve.empty()) return device;
    device = identify(Backend::cpu, threads);
    device.bandwidth_curve = measure_bandwidth(threads, stop);
    device.bandwidth_gbs = device.bandwidth_curve.back().gbs;
    return device;
}

double bound_gbs(const db::Device& device, std::uint64_t bytes) {
    constexpr double kMargin = 1.15;
    double best = 0;
    for (auto p = device.bandwidth_curve.rbegin(); p != device.bandwidth_curve.rend(); ++p) {
        best = std::max(best, p->gbs);
        if (p->bytes <= bytes) break;  // between two points the smaller, faster one counts
    }
    return best > 0 ? kMargin * best : std::numeric_limits<double>::infinity();
}

}  // namespace sptune::tuner
