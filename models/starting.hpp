// What it takes to start all threads of a CPU: a microsecond or so, which decides for small
// matrices whether one thread is faster. On virtual machines it changes by a factor of three from
// one minute to the next, perhaps as the cores behind two threads share a cache or do not. So it
// is an input of models.
#pragma once

#include "models/samples.hpp"

namespace sptune::models {

/// What `device` takes to start all threads, in microseconds, from 0.2 to 12, which is as far as
/// sweeps go; on a GPU and where nothing is known of it what is usual.
double start_or_usual_us(const db::Device& device);

/// Tells from kernels that a sweep of SpMV timed with one thread and with all how long these took
/// to start; 0 where the matrix is too large for that, or too few were timed.
double start_us_of(const Sample& sample);

/// The same sweep as it would be where starting all threads takes `factor` times as long. nullopt
/// where that would make no difference worth learning or the start is not known.
std::optional<Sample> at_other_start(const Sample& sample, double factor);

/// Sets device.launch_us of sweeps of SpMV on CPUs: start_us_of() or, where that is 0, the median
/// of the others on the same device.
void tell_starts(std::vector<Sample>& samples);

}  // namespace sptune::models
