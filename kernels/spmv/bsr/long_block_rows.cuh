// Cuts block rows of very many blocks into pieces.
#pragma once

#include "kernels/cuda/device.cuh"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/primitives.hpp"
#include "kernels/spmv/bsr/cuda_format.hpp"
#include "kernels/spmv/name_pieces.cuh"

namespace sptune::cuda {

namespace {  // each source has its own: docs/add-a-format.md

constexpr int kListThreads = 256;

/// Appends the long block rows, in any order: the blocks of each are summed in one order all the
/// same.
__global__ void list_long(const std::int32_t* block_ptr, index_t block_rows, int limit,
                          index_t* long_row, std::int32_t* pieces, unsigned* longs) {
    const std::int64_t b = global_thread();
    if (b >= block_rows) return;
    const int blocks = block_ptr[b + 1] - block_ptr[b];
    if (blocks <= limit) return;
    const unsigned at = atomicAdd(longs, 1u);
    long_row[at] = static_cast<index_t>(b);
    pieces[at] = blocks / limit + (blocks % limit != 0);
}

template <class T>
void cut_long_block_rows(BsrStorage<T>& s) {
    constexpr int limit = BsrStorage<T>::kLongBlocks;
    const std::size_t most = s.column.size() / limit;
    if (most == 0) return;
    DeviceBuffer<index_t> rows(most);
    DeviceBuffer<std::int32_t> pieces(most);
    DeviceBuffer<unsigned> counter(1);
    counter.fill_bytes(0);
    list_long<<<blocks_for(s.block_rows(), kListThreads), kListThreads>>>(
        s.block_ptr.data(), s.block_rows(), limit, rows.data(), pieces.data(), counter.data());
    SPTUNE_CUDA_LAUNCHED("list_long");
    const std::size_t longs = counter.at(0);
    if (longs == 0) return;
    Pieces<T>& p = s.pieces;
    p.long_row = DeviceBuffer<index_t>(longs);
    p.piece_ptr = DeviceBuffer<std::int32_t>(longs + 1);
    SPTUNE_CUDA(cudaMemcpyAsync(p.long_row.data(), rows.data(), p.long_row.bytes(),
                                cudaMemcpyDeviceToDevice, nullptr));
    SPTUNE_CUDA(cudaMemcpyAsync(p.piece_ptr.data(), pieces.data(), longs * sizeof(std::int32_t),
                                cudaMemcpyDeviceToDevice, nullptr));
    name_pieces(p, static_cast<std::size_t>(counts_to_pointers(p.piece_ptr)),
                static_cast<std::size_t>(s.r));
}

}  // namespace
}  // namespace sptune::cuda
