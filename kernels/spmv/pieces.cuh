// The pieces of long rows, as kernels see them.
#pragma once

#include "kernels/cuda/device.cuh"
#include "kernels/spmv/pieces.hpp"

namespace sptune::cuda {

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

    /// For one thread, once what `partial` gets of a piece of long row `which` is written: whether
    /// that was the row's last piece. Then all of them can be read, behind another fence, and
    /// done[which] has to become 0 again for the next call.
    __device__ bool finishes(int which, int pieces) const {
        __threadfence();
        return atomicAdd(done + which, 1u) + 1 == static_cast<unsigned>(pieces);
    }
    /// What lane `lane` of `lanes` adds up of a row whose pieces have one sum each, numbers
    /// [first, first + pieces): the same every time.
    __device__ T share(int lane, int lanes, int first, int pieces) const {
        __threadfence();
        T sum{0};
        for (int p = lane; p < pieces; p += lanes) sum += __ldcg(partial + first + p);
        return sum;
    }
};

}  // namespace sptune::cuda
