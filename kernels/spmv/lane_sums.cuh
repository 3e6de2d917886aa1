// What the lanes of a warp have together of rows that go on from one into the next.
#pragma once

#include "kernels/cuda/device.cuh"

namespace sptune::cuda {

template <class T>
struct LaneSums {
    T before;  ///< what lanes before, of this warp, have of the row this lane begins with
    T rest;    ///< of the row that goes on after this lane, all lanes before included
};

/// From what each lane has of the row that goes on after it; `ends`: the lanes in which a row ends.
/// All lanes of the warp take part.
template <class T>
__device__ __forceinline__ LaneSums<T> collect_open_sums(T sum, unsigned ends, int lane) {
    // Each lane collects from the lanes before it, back to the last one in which a row ends.
    const unsigned up_to_here = ends & (kFullMask >> (kWarp - 1 - lane));
    const int start = up_to_here ? kWarp - 1 - __clz(static_cast<int>(up_to_here)) : 0;
    LaneSums<T> s{T{0}, sum};
#pragma unroll
    for (int offset = 1; offset < kWarp; offset *= 2) {
        const T other = __shfl_up_sync(kFullMask, s.rest, offset);
        if (lane - offset >= start) s.rest += other;
    }
    s.before = __shfl_up_sync(kFullMask, s.rest, 1);
    if (lane == 0) s.before = T{0};
    return s;
}

}  // namespace sptune::cuda
