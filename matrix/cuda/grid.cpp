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
    static const bool works = attribute(cudaDevAttrComputeCapabilityMajor) >= 9;
    return works;
}

}  // namespace sptune::cuda
