// Waiting for what a kernel writes to the memory of the host, which is sooner there than the driver
// tells that the kernel has ended.
#pragma once

#include "matrix/cuda/beside_captures.hpp"
#include "matrix/cuda/check.hpp"

namespace sptune::cuda {

/// Until done(), for kernels of the default stream. Throws CudaError where one has failed,
/// DeviceFailure where they have ended without.
template <class Done>
void wait_until(const Done& done) {
    constexpr unsigned kPatience = 1 << 14;
    for (unsigned tried = 1; !done(); ++tried) {
        if (tried % kPatience) continue;
        const BesideCaptures relaxed;
        const cudaError_t state = cudaStreamQuery(nullptr);  // a kernel may have failed
        if (state == cudaErrorNotReady) continue;
        SPTUNE_CUDA(state);
        if (done()) return;
        throw DeviceFailure("kernels ended without a result", false);
    }
}

}  // namespace sptune::cuda
