// What the launches of a GPU's kernels add where a program calls them in a loop, kernel by kernel.
#pragma once

#include "db/entry.hpp"
#include "kernels/variant.hpp"

namespace sptune::models {

/// Microseconds. Those given are of H200s and of hosts that are virtual machines; other hosts
/// launch up to twice as fast (bench/results/2026-11-28-launches.md).
struct Launching {
    double host_us = 3.8;  ///< from one launch to the next, if the GPU has nothing to do
    double gap_us = 0.9;   ///< from one kernel to the next, beyond those of a graph
};

/// Where `device` does not know, as of H200s.
Launching launching_of(const db::Device& device);

/// What a call takes that is one of many in a row, of so many launches, and takes `device_us` where
/// a graph launches it.
double as_called_us(double device_us, int launches, const Launching& launching);

/// The same for a kernel on `device`; of CPUs, and of products, which wait for the host anyway,
/// `device_us` itself.
double as_called_us(const db::Device& device, const Variant& variant, double device_us);

/// Launches of a call of this SpMV kernel for a GPU, on most matrices.
int launches_of(const Variant& variant);

}  // namespace sptune::models
