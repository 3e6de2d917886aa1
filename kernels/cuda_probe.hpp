// What CUDA finds on this machine.
#pragma once

#include <string>

namespace sptune {

/// "CUDA 13.0, NVIDIA H200", or why there is no usable GPU: "built without the CUDA toolkit", "no
/// driver …", "NVIDIA T4 has compute capability 7.5, this build is for 9.0 or newer". Never throws.
std::string cuda_status();

/// Whether kernels can run: a build with CUDA, a driver, and a GPU whose architecture this build
/// has code for. Found out once.
bool cuda_usable();

/// Throws DeviceError with cuda_status() unless cuda_usable().
void require_cuda();

}  // namespace sptune
