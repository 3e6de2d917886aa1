#include "tuner/identify.hpp"

#include "kernels/parallel.hpp"
#include "tuner/cuda/sweep.hpp"
#include "tuner/host.hpp"

#include <algorithm>

namespace sptune::tuner {

db::Device identify(Backend backend, int threads) {
    if (backend == Backend::cuda) return identify_cuda();
    db::Device device;
    threads = resolve_threads(threads);
    device.backend = to_string(Backend::cpu);
    device.name = host().cpu;
    device.key = processor_class(host()) + "-" + std::to_string(threads) + "t";
    device.simd = host().simd;
    device.threads = threads;
    device.llc_bytes = host().llc_bytes;
    return device;
}

db::Device device_without_measuring(Backend backend, int threads, const db::Databases* databases) {
    db::Device device = identify(backend, threads);
    if (const auto stored = databases ? databases->device(device.key) : std::nullopt) {
        const auto& curve = stored->bandwidth_curve;
        const bool sound = std::all_of(curve.begin(), curve.end(), [](const db::BandwidthPoint& p) {
            return p.bytes > 0 && p.gbs > 0;
        });
        if (sound && stored->bandwidth_gbs > 0) {
            db::Device known = *stored;
            known.simd = device.simd;        // of this process, which may use less or know of more
            known.threads = device.threads;  // a file may say anything, and so many are started
            if (backend == Backend::cpu) known.launch_us = 0;
            return known;
        }
    }
    constexpr double kLaunchUs = 0.85;  // H100s were measured at 0.91, H200s at 0.62
    if (backend == Backend::cuda) device.launch_us = kLaunchUs;
    return device;
}

void assume_bandwidths(db::Device& d) {
    if (d.backend != to_string(Backend::cuda) || d.bandwidth_gbs > 0 || !d.bandwidth_curve.empty())
        return;
    constexpr double kReached = 0.88, kFromCache = 2.5;
    d.copy_gbs = d.bandwidth_gbs = kReached * peak_bandwidth_gbs();
    d.bandwidth_curve = {{d.llc_bytes / 2, kFromCache * d.bandwidth_gbs},
                         {4 * d.llc_bytes, d.bandwidth_gbs}};
}

}  // namespace sptune::tuner
