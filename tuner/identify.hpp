// The device without measuring it: what a choice needs to know, at no cost.
#pragma once

#include "db/databases.hpp"

namespace sptune::tuner {

/// All of db::Device but the bandwidths and launch_us, which stay 0. The key is that of
/// device_of(). `threads` 0: all. Throws DeviceError without a usable GPU for Backend::cuda.
db::Device identify(Backend backend, int threads);

/// The same with bandwidths as an entry of `databases` has them for this device. Where none has,
/// they stay 0, as does launch_us of a CPU: models know what is usual. `databases` may be null.
db::Device device_without_measuring(Backend backend, int threads, const db::Databases* databases);

/// Gives a GPU without bandwidths those that such GPUs usually have, for models that do not know
/// it. The first call in a process asks the driver, which takes most of a millisecond.
void assume_bandwidths(db::Device& device);

}  // namespace sptune::tuner
