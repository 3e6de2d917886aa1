// What every CUDA kernel of the house uses on the device. kernels/cuda/device.cuh adds what
// multiplying needs.
#pragma once

#include "matrix/types.hpp"

#include <cstdint>

namespace sptune::cuda {

inline constexpr int kWarp = 32;
inline constexpr unsigned kFullMask = 0xffffffffu;

/// A number of A: read once, so it must not push x out of the caches.
template <class N>
__device__ __forceinline__ N stream_load(const N* p) {
    return __ldcs(p);
}

/// Sum over groups of `Width` neighbouring lanes (a power of two ≤ 32), in every lane of the group.
/// All lanes of the warp take part.
template <int Width, class T>
__device__ __forceinline__ T group_sum(T v) {
#pragma unroll
    for (int offset = Width / 2; offset > 0; offset /= 2)
        v += __shfl_xor_sync(kFullMask, v, offset);
    return v;
}

/// The largest of a warp, in every lane. All lanes take part.
template <class T>
__device__ __forceinline__ T warp_max(T v) {
#pragma unroll
    for (int offset = kWarp / 2; offset > 0; offset /= 2)
        v = max(v, __shfl_xor_sync(kFullMask, v, offset));
    return v;
}

/// Sum over a block of `Block` threads, valid in thread 0. `scratch` holds Block / 32 numbers and
/// may be used again after the next __syncthreads(). All threads take part.
template <int Block, class T>
__device__ __forceinline__ T block_sum(T v, T* scratch) {
    constexpr int warps = Block / kWarp;
    v = group_sum<kWarp>(v);
    if constexpr (warps == 1) return v;
    const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
    if (lane == 0) scratch[warp] = v;
    __syncthreads();
    if (warp == 0) v = group_sum<kWarp>(lane < warps ? scratch[lane] : T{0});
    return v;
}

/// Lets a kernel started with launch_early() begin as soon as every block of this one has called
/// this. One that was itself started so calls wait_for_previous() before: so the next one begins
/// once all that is older has ended. What that wrote it is sure to see only after a wait of its
/// own.
__device__ __forceinline__ void let_next_begin() {
#if __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// In a kernel started with launch_early(): until the one before it has ended and what it wrote can
/// be seen. To be called before the first access to that.
__device__ __forceinline__ void wait_for_previous() {
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
}

/// To be called by all blocks of a kernel started with launch_early() as the last thing, where it
/// needs nothing of the one before it: so it does not end before that.
__device__ __forceinline__ void end_after_previous() {
    if (blockIdx.x == 0 && blockIdx.y == 0) wait_for_previous();
}

/// Index of this thread in the whole grid.
__device__ __forceinline__ std::int64_t global_thread() {
    return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

}  // namespace sptune::cuda
