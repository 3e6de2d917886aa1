// What the machine can move: measured once per process, used for shares and for sound pruning.
#pragma once

#include "db/entry.hpp"

namespace sptune::tuner {

/// The CPU as it runs `threads` threads (0: all), with its measured read bandwidth from working
/// sets of 16 KiB up to several times the last-level cache. Takes about half a second, once.
const db::Device& cpu_device(int threads);

/// Upper estimate of the bandwidth for a working set of `bytes`: the best the device has shown for
/// a set of that size or larger, interpolated towards the faster level, plus a safety margin, so
/// that bytes / bound_gbs never exceeds a time that can really be reached.
double bound_gbs(const db::Device& device, std::uint64_t bytes);

}  // namespace sptune::tuner
