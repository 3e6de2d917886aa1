// What the machine can move: measured once per process, used for shares and for sound pruning.
#pragma once

#include "db/entry.hpp"

#include <atomic>
#include <vector>

namespace sptune::tuner {

/// Read bandwidth of `threads` threads together, from working sets of 16 KiB up to four times the
/// last-level caches (twice where they are large, less where memory is short), in growing order.
/// Takes about half a second. Throws Error soon after `stop` was set, which may be null.
std::vector<db::BandwidthPoint> measure_bandwidth(int threads,
                                                  const std::atomic<bool>* stop = nullptr);

/// The CPU as it runs `threads` threads (0: all), with its bandwidth curve; measured once per
/// process and number of threads. Throws as measure_bandwidth() does.
const db::Device& cpu_device(int threads, const std::atomic<bool>* stop = nullptr);

/// Upper estimate of the bandwidth for a working set of `bytes`: the best the device has shown for
/// a set of that size or larger, interpolated towards the faster level, plus a safety margin of
/// 15 %, so that bytes / bound_gbs never exceeds a time that can really be reached.
/// Infinite where nothing was measured.
double bound_gbs(const db::Device& device, std::uint64_t bytes);

}  // namespace sptune::tuner
