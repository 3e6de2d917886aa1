// What the launches of a GPU's kernels add where a program calls them in a loop, kernel by kernel.
#pragma once

#include "db/entry.hpp"
#include "kernels/variant.hpp"

#include <string_view>

namespace sptune::models {

/// Microseconds. Those given are of H200s and of hosts that are virtual machines; others may launch
/// faster (bench/results/2026-11-28-launches.md).
struct Launching {
    double host_us = 3.8;  ///< from one launch to the next, if the GPU has nothing to do
    /// From one kernel to the next, beyond those of a graph; where the next may begin early, as
    /// all of ours (matrix/cuda/launch.hpp), and where not.
    double early_gap_us = 0.15, gap_us = 0.9;
};

/// Where `device` does not know, as of H200s.
Launching launching_of(const db::Device& device);

/// What a call takes that is one of many in a row, and takes `device_us` where a graph launches it,
/// of so many launches, `early` of which begin early.
double as_called_us(double device_us, int launches, int early, const Launching& launching);

/// The same for a kernel on `device`, of what was measured for models to learn from: most of that
/// before our kernels began early, when they took 0.2 to 0.3 us longer in graphs, so that no gap is
/// added to theirs. Of CPUs, and of products, which wait for the host anyway, `device_us` itself.
double as_called_us(const db::Device& device, const Variant& variant, double device_us);

/// What a choice reckons with where models, which have learned from that, predict `device_us`. How
/// fast the host will launch is not known that well. Of kernels with one launch the one that takes
/// less is no loss where it is not seen; one with two has to be worth them: half as much counts
/// there, half as much again here.
double expected_us(double device_us, int launches, bool vendor, const Launching& launching);
double expected_us(const db::Device& device, const Variant& variant, double device_us);

/// How many of the launches of such a call begin early.
int early_launches(std::string_view format, bool vendor, int launches);

/// Launches of a call of this SpMV kernel for a GPU, on most matrices.
int launches_of(const Variant& variant);

}  // namespace sptune::models
