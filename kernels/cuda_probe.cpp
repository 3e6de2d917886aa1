#include "kernels/cuda_probe.hpp"

#ifdef SPTUNE_HAS_CUDA
#include <cuda_runtime_api.h>
#endif

namespace sptune {

#ifdef SPTUNE_HAS_CUDA

std::string cuda_status() {
    const std::string built = "built with CUDA " + std::to_string(CUDART_VERSION / 1000) + "." +
                              std::to_string(CUDART_VERSION % 1000 / 10);
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || count == 0)
        return built + ", no GPU usable here: " +
               (error != cudaSuccess ? cudaGetErrorString(error) : "the driver lists none");
    std::string gpus;
    for (int i = 0; i < count; ++i) {
        cudaDeviceProp properties;
        if (cudaGetDeviceProperties(&properties, i) != cudaSuccess) continue;
        gpus += std::string(gpus.empty() ? "" : ", ") + properties.name;
    }
    return built + "; found " + gpus + ", for which this version has no kernels yet";
}

#else

std::string cuda_status() {
    return "built without the CUDA toolkit";
}

#endif

}  // namespace sptune
