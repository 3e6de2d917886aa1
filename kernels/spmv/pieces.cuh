// What kernels and conversions do with the pieces of long rows.
#pragma once

#include "kernels/cuda/device.cuh"
#include "kernels/spmv/pieces.hpp"
#include "matrix/cuda/check.hpp"

namespace sptune::cuda {

inline __global__ void name_pieces(const std::int32_t* piece_ptr, std::int32_t* piece_long) {
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
    name_pieces<<<static_cast<unsigned>(longs), kThreads>>>(pieces.piece_ptr.data(),
                                                            pieces.piece_long.data());
    SPTUNE_CUDA_LAUNCHED("name_pieces");
    pieces.partial = DeviceBuffer<T>(count * sums);
    pieces.done = DeviceBuffer<unsigned>(longs);
    pieces.done.fill_bytes(0);
}

/// The pieces, as kernels see them.
template <class T>
struct PiecesView {
    const index_t* long_row;
    const std::int32_t* piece_ptr;
    const std::int32_t* piece_long;
    T* partial;
    unsigned* done;

    explicit PiecesView(const Pieces<T>& p)
        : long_row(p.long_row.data()),
          piece_ptr(p.piece_ptr.data()),
          piece_long(p.piece_long.data()),
          partial(p.partial.data()),
          done(p.done.data()) {}

    /// Of one thread, behind all that wrote `partial` for this piece of long row `which`: whether
    /// the row's other pieces are done. Who then reads `partial` lies behind this thread, fences
    /// before, and resets `done` for the next call.
    __device__ bool finishes(int which, int pieces) const {
        __threadfence();
        return atomicAdd(done + which, 1u) + 1 == static_cast<unsigned>(pieces);
    }
    /// Share `lane` of `lanes` of what the pieces from `first` on, of one sum each, add up to: in
    /// the same order every time.
    __device__ T share(int lane, int lanes, int first, int pieces) const {
        __threadfence();
        T sum{0};
        for (int p = lane; p < pieces; p += lanes) sum += __ldcg(partial + first + p);
        return sum;
    }
};

}  // namespace sptune::cuda
