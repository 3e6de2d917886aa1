#include "matrix/cuda/grid.hpp"

#include "matrix/cuda/per_device.hpp"

#include <algorithm>

namespace sptune::cuda {
namespace {

int attribute(cudaDeviceAttr which) {
    int value = 0;
    SPTUNE_CUDA(cudaDeviceGetAttribute(&value, which, current_device()));
    return value;
}

}  // namespace

int multiprocessors() {
    static PerDevice<int> count;
    return count.get([] { return attribute(cudaDevAttrMultiProcessorCount); });
}

bool has_code_for_90() {
    // The driver takes the newest code that this device can run.
    static PerDevice<bool> has;
    return has.get([] {
        const int device = 10 * attribute(cudaDevAttrComputeCapabilityMajor) +
                           attribute(cudaDevAttrComputeCapabilityMinor);
        int taken = 0;
        for (const int built : {SPTUNE_CUDA_ARCHS})
            if (built <= device) taken = std::max(taken, built);
        return taken >= 90;
    });
}

bool early_launch_works() {
    constexpr int kDriver = 12030;  // older ones do not capture such launches
    static PerDevice<bool> works;
    return works.get([] {
        int driver = 0;
        SPTUNE_CUDA(cudaDriverGetVersion(&driver));
        return driver >= kDriver && has_code_for_90();
    });
}

}  // namespace sptune::cuda
