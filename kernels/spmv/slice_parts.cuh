// Slices of C rows, several threads to a row: neighbouring threads take neighbouring rows, and
// those of one row are C apart.
#pragma once

#include "kernels/cuda/device.cuh"

#include <cstddef>
#include <cstdint>

namespace sptune::cuda {

/// What a thread has to do: of slice number `slice` part `part` of row r.
template <int C, int Threads>
struct SlicePlace {
    std::int64_t slice;
    int r, part;
    bool active;  ///< false: nothing

    /// Of so many slices, side by side in blocks.
    __device__ __forceinline__ explicit SlicePlace(index_t slices) {
        constexpr int group = C * Threads;
        const int slices_here = static_cast<int>(blockDim.x) / group;
        const int place = static_cast<int>(threadIdx.x) / group;
        const int lane = static_cast<int>(threadIdx.x) % group;
        r = lane % C, part = lane / C;
        slice = std::int64_t{blockIdx.x} * slices_here + place;
        active = place < slices_here && slice < slices;
    }
};

/// Sum over the `Threads` threads of a row, which are C apart; valid in the first of them. All
/// threads of the block take part.
template <int C, int Threads, class T>
__device__ __forceinline__ T sum_parts(T sum) {
    if constexpr (Threads == 1) return sum;
    if constexpr (kWarp % (C * Threads) == 0) {
#pragma unroll
        for (int offset = C * Threads / 2; offset >= C; offset /= 2)
            sum += __shfl_xor_sync(kFullMask, sum, offset);
    } else {
        extern __shared__ unsigned char memory[];
        T* scratch = reinterpret_cast<T*>(memory);
        scratch[threadIdx.x] = sum;
        __syncthreads();
        // Threads beyond the first part read what they do not need, but nothing out of bounds.
        const int group = static_cast<int>(threadIdx.x) / (C * Threads) * (C * Threads);
        const int at = group + static_cast<int>(threadIdx.x) % C;
        if (at + (Threads - 1) * C < static_cast<int>(blockDim.x)) {
            sum = scratch[at];
#pragma unroll
            for (int p = 1; p < Threads; ++p) sum += scratch[at + p * C];
        }
    }
    return sum;
}

/// Shared memory that sum_parts() needs in a block of `threads`.
template <int C, int Threads, class T>
constexpr std::size_t part_bytes(int threads) {
    const bool by_shuffles = Threads == 1 || kWarp % (C * Threads) == 0;
    return by_shuffles ? 0 : static_cast<std::size_t>(threads) * sizeof(T);
}

/// Several threads per row only where a slice then fills whole warps, but not many.
constexpr bool worthwhile_parts(int c, int threads, int block) {
    const int group = c * threads;
    if (group > block) return false;
    return threads == 1 || (group >= kWarp && group <= 256);
}

}  // namespace sptune::cuda
