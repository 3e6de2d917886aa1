#include "matrix/cuda/grid.hpp"

#include "matrix/cuda/check.hpp"

#include <algorithm>

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
    // The driver takes the newest code that this device can run; older code does not wait.
    static const bool works = [] {
        const int device = 10 * attribute(cudaDevAttrComputeCapabilityMajor) +
                           attribute(cudaDevAttrComputeCapabilityMinor);
        int taken = 0;
        for (const int built : {SPTUNE_CUDA_ARCHS})
            if (built <= device) taken = std::max(taken, built);
        return taken >= 90;
    }();
    return works;
}

}  // namespace sptune::cuda
