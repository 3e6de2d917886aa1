#include "kernels/spmv/csr/tiles.cuh"

namespace sptune::cuda {

void add_csr_tiles_i64_x32(KernelList<SPTUNE_VALUE>& list) {
    add_tiles<SPTUNE_VALUE, std::int64_t, 32>(list);
}

}  // namespace sptune::cuda
