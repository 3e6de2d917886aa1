#include "matrix/cuda/check.hpp"

#include <fmt/format.h>

namespace sptune {

/// Those of which CUDA says that "the process must be terminated and relaunched", and memory
/// faults.
bool is_sticky(cudaError_t error) {
    switch (error) {
        case cudaErrorECCUncorrectable:
        case cudaErrorNvlinkUncorrectable:
        case cudaErrorIllegalAddress:
        case cudaErrorLaunchTimeout:
        case cudaErrorAssert:
        case cudaErrorHardwareStackError:
        case cudaErrorIllegalInstruction:
        case cudaErrorMisalignedAddress:
        case cudaErrorInvalidAddressSpace:
        case cudaErrorInvalidPc:
        case cudaErrorLaunchFailure:
            return true;
        default:
            return false;
    }
}

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
