// Every CUDA call goes through SPTUNE_CUDA, so that a failure names the call, the place and what
// CUDA says.
#pragma once

#include "matrix/error.hpp"

#include <cuda_runtime_api.h>

namespace sptune {

/// Errors of kernels ("an illegal memory access was encountered") are sticky: the process cannot
/// use the device any more.
bool is_sticky(cudaError_t error);

/// A CUDA call failed.
class CudaError : public DeviceFailure {
  public:
    CudaError(const std::string& what, cudaError_t error)
        : DeviceFailure(what, is_sticky(error)), code(error) {}
    cudaError_t code;
};

/// Throws OutOfMemory for a refused allocation of `bytes`, CudaError for anything else but success.
void cuda_check(cudaError_t status, const char* call, const char* file, int line,
                std::uint64_t bytes = 0);

#define SPTUNE_CUDA(call) ::sptune::cuda_check((call), #call, __FILE__, __LINE__)

/// After a launch: whether the launch itself was accepted.
#define SPTUNE_CUDA_LAUNCHED(kernel) \
    ::sptune::cuda_check(cudaGetLastError(), "launch of " kernel, __FILE__, __LINE__)

}  // namespace sptune
