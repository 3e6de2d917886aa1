// Every CUDA call goes through SPTUNE_CUDA, so that a failure names the call, the place and what
// CUDA says.
#pragma once

#include "matrix/error.hpp"

#include <cuda_runtime_api.h>

namespace sptune {

/// A CUDA call failed. Errors of kernels ("an illegal memory access was encountered") are sticky:
/// the process cannot use the device any more.
class CudaError : public Error {
  public:
    CudaError(const std::string& what, cudaError_t error) : Error(what), code(error) {}
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
