// Neighbouring numbers of one thread, in as few loads as can be.
#pragma once

#include "kernels/cuda/matrix_load.cuh"

#include <cstring>

namespace sptune::cuda {

/// `strip` becomes the `Items` numbers at `p`, of which `count` (at least 0 to be of any use) are
/// there; `fallback` stands for the rest. p is aligned to Items numbers, or to 16 bytes where those
/// are less.
template <int Items, class N>
__device__ __forceinline__ void load_strip(MatrixLoad load, const N* p, int count, N fallback,
                                           N (&strip)[Items]) {
    constexpr int bytes = Items * static_cast<int>(sizeof(N));
    if (bytes % 16 == 0 && count == Items) {
#pragma unroll
        for (int i = 0; i < bytes / 16; ++i) {
            const int4 four = load(reinterpret_cast<const int4*>(p) + i);
            memcpy(strip + i * 16 / sizeof(N), &four, 16);
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < Items; ++i) strip[i] = load.when(i < count, p + i, fallback);
}

}  // namespace sptune::cuda
