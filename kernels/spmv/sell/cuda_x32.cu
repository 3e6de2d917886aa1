#include "kernels/spmv/sell/cuda_parts.hpp"
#include "kernels/spmv/sell/slices.cuh"

namespace sptune::cuda {

void add_sell_slices_x32(KernelList<SPTUNE_VALUE>& list) {
    add_slices<SPTUNE_VALUE, 32>(list);
}

}  // namespace sptune::cuda
