// What conversions do with the pieces of long rows.
#pragma once

#include "kernels/cuda/device.cuh"
#include "kernels/spmv/pieces.hpp"
#include "matrix/cuda/check.hpp"

namespace sptune::cuda {
namespace {  // each source has its own: docs/add-a-format.md

__global__ void name_pieces_kernel(const std::int32_t* piece_ptr, std::int32_t* piece_long) {
    for (int p = piece_ptr[blockIdx.x] + static_cast<int>(threadIdx.x);
         p < piece_ptr[blockIdx.x + 1]; p += static_cast<int>(blockDim.x))
        piece_long[p] = static_cast<std::int32_t>(blockIdx.x);
}

/// Once `long_row` and `piece_ptr` are there, which lead to `count` pieces of `sums` sums each: all
/// else.
template <class T>
void name_pieces(Pieces<T>& pieces, std::size_t count, std::size_t sums = 1) {
    constexpr int kThreads = 256;
    const std::size_t longs = pieces.long_row.size();
    pieces.piece_long = DeviceBuffer<std::int32_t>(count);
    name_pieces_kernel<<<static_cast<unsigned>(longs), kThreads>>>(pieces.piece_ptr.data(),
                                                                   pieces.piece_long.data());
    SPTUNE_CUDA_LAUNCHED("name_pieces");
    pieces.partial = DeviceBuffer<T>(count * sums);
    pieces.done = DeviceBuffer<unsigned>(longs);
    pieces.done.fill_bytes(0);
}

}  // namespace
}  // namespace sptune::cuda
