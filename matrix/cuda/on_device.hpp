// Work for one of several GPUs, whichever one the calling thread is at.
#pragma once

#include <cuda_runtime_api.h>

namespace sptune::cuda {

/// GPUs of this process; 0 where there is none or no driver. Asked once.
inline int device_count() noexcept {
    static const int count = [] {
        int found = 0;
        return cudaGetDeviceCount(&found) == cudaSuccess ? found : 0;
    }();
    return count;
}

inline constexpr int kAnyDevice = -1;

/// Makes a GPU the current one; kAnyDevice: leaves it as it is. The one to go back to, kAnyDevice
/// where it is the same. Costs nothing where there is one GPU. Never throws, since destructors call
/// it: a GPU that cannot be made the current one says so at the next call.
inline int go_to_device(int device) noexcept {
    int current = 0;
    if (device == kAnyDevice || device_count() < 2 || cudaGetDevice(&current) != cudaSuccess ||
        current == device)
        return kAnyDevice;
    return cudaSetDevice(device) == cudaSuccess ? current : kAnyDevice;
}

}  // namespace sptune::cuda
