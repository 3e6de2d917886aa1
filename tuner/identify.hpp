// The device without measuring it: what a choice needs to know, at no cost.
#pragma once

#include "db/databases.hpp"

namespace sptune::tuner {

/// All of db::Device but the bandwidths and launch_us, which stay 0. The key is that of
/// device_of(). `threads` 0: all. Throws DeviceError without a usable GPU for Backend::cuda.
db::Device identify(Backend backend, int threads);

/// The same with bandwidths: as an entry of `databases` has them for this device, else as such GPUs
/// usually have them; of other CPUs they stay 0, and models know what is usual. `databases` may be
/// null.
db::Device device_without_measuring(Backend backend, int threads, const db::Databases* databases);

}  // namespace sptune::tuner
