#include "matrix/cuda/check.hpp"

#include <fmt/format.h>

namespace sptune {

void cuda_check(cudaError_t status, const char* call, const char* file, int line,
                std::uint64_t bytes) {
    if (status == cudaSuccess) return;
    cudaGetLastError();  // a refused call must not be reported again by the next launch
    if (status == cudaErrorMemoryAllocation) throw OutOfMemory("an array on the GPU", bytes);
    throw CudaError(fmt::format("{}:{}: {} failed: {} ({})", file, line, call,
                                cudaGetErrorString(status), cudaGetErrorName(status)),
                    status);
}

}  // namespace sptune
