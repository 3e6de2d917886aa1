#include "kernels/spmm/pack_memory.hpp"

#include "kernels/spmm/cuda.hpp"

namespace sptune::cuda {

std::shared_ptr<PackMemory> make_pack_memory() {
    return std::make_shared<PackMemory>();
}

std::uint64_t bytes_of(const PackMemory& memory) {
    return memory.bytes();
}

}  // namespace sptune::cuda
