// Bands of x in shared memory, of which the next is on its way while one is in use.
#pragma once

#include "kernels/cuda/device.cuh"
#include "kernels/spmv/tiles2d/cuda_format.hpp"

#include <cuda/barrier>
#include <cuda/ptx>

namespace sptune::cuda {

namespace {  // each source has its own: docs/add-a-format.md

/// Where bands of `columns` columns begin, in numbers of x: each aligned for bulk copies, with room
/// for x that is not.
template <class T>
constexpr int band_pitch(int columns) {
    constexpr int kAligned = 16 / sizeof(T);
    return (columns + 2 * kAligned - 1) / kAligned * kAligned;
}

/// What a block keeps of it in shared memory.
struct BandRingState {
    alignas(
        8) unsigned char arrived[kBandsAtOnce][sizeof(::cuda::barrier<::cuda::thread_scope_block>)];
    int done[kBandsAtOnce];  ///< warps
};

/// Tiles [0, tiles) of a block of `Warps` warps, of which each warp waits for every tile in order
/// and then leaves it. All lanes of a warp take part in every call.
template <class T, int Warps>
class BandRing {
    using Barrier = ::cuda::barrier<::cuda::thread_scope_block>;

  public:
    __device__ BandRing(BandRingState& state, T* memory, int columns, const T* x, const Band* tile,
                        int tiles)
        : state_(state),
          memory_(memory),
          pitch_(band_pitch<T>(columns)),
          x_(x),
          tile_(tile),
          tiles_(tiles) {
        if (threadIdx.x < kBandsAtOnce) {
            init(&arrived(static_cast<int>(threadIdx.x)), 1);
            state_.done[threadIdx.x] = 0;
            before_async();
        }
        __syncthreads();
        if (threadIdx.x < kWarp)
            for (int i = 0; i < kBandsAtOnce; ++i) fetch(i);
    }

    /// x of tile i from its first column on.
    __device__ __forceinline__ const T* wait(int i) const {
        arrived(i).wait_parity(i / kBandsAtOnce % 2 != 0);
        return memory_ + i % kBandsAtOnce * pitch_ + shift();
    }

    /// This warp no longer needs tile i. The last one to say so has the next fetched there.
    __device__ __forceinline__ void leave(int i) {
        __syncwarp();
        bool last = false;
        if (lane() == 0) {
            __threadfence_block();
            int& done = state_.done[i % kBandsAtOnce];
            last = atomicAdd(&done, 1) == Warps - 1;
            if (last) done = 0;
            __threadfence_block();
        }
        last = __shfl_sync(kFullMask, last, 0);
        __syncwarp();  // all lanes come after the other warps, as lane 0 does
        if (last) fetch(i + kBandsAtOnce);
    }

  private:
    __device__ static int lane() { return static_cast<int>(threadIdx.x) % kWarp; }
    __device__ __forceinline__ Barrier& arrived(int i) const {
        return reinterpret_cast<Barrier&>(state_.arrived[i % kBandsAtOnce]);
    }
    /// Bulk copies move 16 aligned bytes at a time: bands lie in memory as x does.
    __device__ __forceinline__ int shift() const {
        return static_cast<int>(reinterpret_cast<std::uintptr_t>(x_) % 16 / sizeof(T));
    }

    /// What was done to shared memory so far comes before bulk copies that this thread starts.
    __device__ static void before_async() {
#if __CUDA_ARCH__ >= 900
        ::cuda::ptx::fence_proxy_async(::cuda::ptx::space_shared);
#endif
    }
    __device__ void fetch(int i) {
        if (i >= tiles_) return;
        const Band band = tile_[i];
        T* const to = memory_ + i % kBandsAtOnce * pitch_ + shift();
        const T* const from = x_ + band.column;
#if __CUDA_ARCH__ >= 900
        constexpr int kAligned = 16 / sizeof(T);
        const int before = min((kAligned - shift()) % kAligned, band.columns);
        const int bulk = (band.columns - before) / kAligned * kAligned;
        for (int c = lane(); c < band.columns - bulk; c += kWarp) {
            const int at = c < before ? c : c + bulk;
            to[at] = gather(from, at);
        }
        __syncwarp();
        if (lane() == 0) {
            const auto bytes = static_cast<unsigned>(bulk) * static_cast<unsigned>(sizeof(T));
            before_async();
            if (bulk)
                ::cuda::device::memcpy_async_tx(to + before, from + before,
                                                ::cuda::aligned_size_t<16>(bytes), arrived(i));
            (void)::cuda::device::barrier_arrive_tx(arrived(i), 1, bytes);
        }
#else
        for (int c = lane(); c < band.columns; c += kWarp) to[c] = gather(from, c);
        __syncwarp();
        if (lane() == 0) (void)arrived(i).arrive();
#endif
    }

    BandRingState& state_;
    T* memory_;
    int pitch_;
    const T* x_;
    const Band* tile_;
    int tiles_;
};

}  // namespace
}  // namespace sptune::cuda
