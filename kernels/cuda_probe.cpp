#include "kernels/cuda_probe.hpp"

#include "matrix/error.hpp"
#include "matrix/lasting.hpp"

#ifdef SPTUNE_HAS_CUDA
#include "kernels/cuda/probe_kernel.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#endif

namespace sptune {
namespace {

struct Probe {
    bool usable = false;
    std::string status;
};

#ifdef SPTUNE_HAS_CUDA

Probe probe() {
    const std::string built =
        fmt::format("CUDA {}.{}", CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    int count = 0;
    const cudaError_t found = cudaGetDeviceCount(&count);
    if (found == cudaErrorInsufficientDriver || found == cudaErrorNoDevice || count == 0)
        return {false, fmt::format("built with {}, no GPU usable here: {}", built,
                                   found == cudaSuccess ? "the driver lists none"
                                                        : cudaGetErrorString(found))};
    if (found != cudaSuccess)
        return {false, fmt::format("built with {}, the driver does not answer: {}", built,
                                   cudaGetErrorString(found))};
    std::string names;
    cudaDeviceProp p{};
    for (int i = count - 1; i >= 0; --i) {  // the first one, which is used, is asked last
        if (cudaGetDeviceProperties(&p, i) != cudaSuccess) continue;
        names = std::string(p.name) + (names.empty() ? "" : ", ") + names;
    }
    // The runtime knows whether it holds code, or PTX to compile, for this GPU.
    if (const cudaError_t error = cuda::run_probe_kernel(); error != cudaSuccess)
        return {false,
                fmt::format("{} (compute capability {}.{}) cannot run the kernels of this "
                            "build: {}; build with -DCMAKE_CUDA_ARCHITECTURES={}{}",
                            p.name, p.major, p.minor, cudaGetErrorString(error), p.major, p.minor)};
    return {true, built + ", " + names};
}

#else

Probe probe() {
    return {false, "built without the CUDA toolkit"};
}

#endif

const Probe& result() {
    static const Probe& once = lasting(probe);
    return once;
}

}  // namespace

std::string cuda_status() {
    return result().status;
}

bool cuda_usable() {
    return result().usable;
}

void require_cuda() {
    if (!cuda_usable())
        throw DeviceError(std::string("no GPU to run CUDA kernels: ").append(cuda_status()) +
                          "; use the backend cpu");
}

}  // namespace sptune
