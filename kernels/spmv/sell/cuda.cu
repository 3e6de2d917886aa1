#include "kernels/kernel_list.hpp"
#include "kernels/spmv/sell/cuda_parts.hpp"

namespace sptune {

void add_cuda_sell_kernels(KernelList<SPTUNE_VALUE>& list) {
    cuda::add_sell_slices_x32(list);
    cuda::add_sell_slices_x16(list);
}

}  // namespace sptune
