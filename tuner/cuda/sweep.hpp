// The sweep on a GPU. In a build without CUDA it says so.
#pragma once

#include "tuner/sweep.hpp"

namespace sptune::tuner {

/// As sweep_spmv for Backend::cuda: copies `a` to the current device and measures there.
/// Throws DeviceError without a usable GPU, OutOfMemory when A, x and y do not fit there.
template <class T, class P>
SweepResult sweep_spmv_cuda(CsrView<T, P> a, const Features& features, const SweepOptions& options);

/// The current GPU as the driver describes it, without bandwidths. Throws DeviceError.
db::Device identify_cuda();

/// What the clock and the width of its memory allow, in GB/s. Apart, since the driver takes 0.6 ms
/// to say so. Throws DeviceError.
double peak_bandwidth_gbs();

/// The current GPU with its measured limits; found out once per GPU and process. Throws
/// DeviceError.
const db::Device& cuda_device();

}  // namespace sptune::tuner
