#include "matrix/cuda/grid.hpp"

#include "matrix/cuda/check.hpp"

namespace sptune::cuda {

int multiprocessors() {
    static const int count = [] {
        int device = 0, found = 0;
        SPTUNE_CUDA(cudaGetDevice(&device));
        SPTUNE_CUDA(cudaDeviceGetAttribute(&found, cudaDevAttrMultiProcessorCount, device));
        return found;
    }();
    return count;
}

}  // namespace sptune::cuda
