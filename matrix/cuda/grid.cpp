#include "matrix/cuda/grid.hpp"

#include "matrix/cuda/check.hpp"

namespace sptune::cuda {
namespace {

int attribute(cudaDeviceAttr which) {
    int device = 0, value = 0;
    SPTUNE_CUDA(cudaGetDevice(&device));
    SPTUNE_CUDA(cudaDeviceGetAttribute(&value, which, device));
    return value;
}

}  // namespace

int multiprocessors() {
    static const int count = attribute(cudaDevAttrMultiProcessorCount);
    return count;
}

bool early_launch_works() {
    // Code for older architectures, compiled anew by the driver for this device, does not wait.
    static const bool works =
        SPTUNE_CUDA_NEWEST_ARCH >= 90 && attribute(cudaDevAttrComputeCapabilityMajor) >= 9;
    return works;
}

}  // namespace sptune::cuda
