#include "kernels/spmv/csr/tiles.cuh"

namespace sptune::cuda {

void add_csr_tiles_i32_x16(KernelList<SPTUNE_VALUE>& list) {
    add_tiles<SPTUNE_VALUE, std::int32_t, 16>(list);
}

}  // namespace sptune::cuda
