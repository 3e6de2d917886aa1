// Copies from global to shared memory in the background, and who waits for them. Compute capability
// 9.0 or newer.
#pragma once

#include "matrix/cuda/device.cuh"

#include <cuda/ptx>

namespace sptune::cuda {

namespace ptx = ::cuda::ptx;

/// A barrier in shared memory that also counts bytes which copies in the background have brought.
class Barrier {
  public:
    __device__ void init(unsigned arrivals) { ptx::mbarrier_init(&state_, arrivals); }
    /// Once after the init() of all barriers, before __syncthreads().
    static __device__ void initialised() {
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __device__ void arrive() { ptx::mbarrier_arrive(&state_); }
    __device__ void arrive_and_expect(unsigned bytes) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &state_,
                                       bytes);
    }
    /// Until the phase of this parity is over.
    __device__ void wait(unsigned parity) {
        while (!ptx::mbarrier_try_wait_parity(&state_, parity)) {
        }
    }
    /// Begins to copy `bytes`, a multiple of 16, from global to shared memory.
    __device__ void copy(void* to, const void* from, unsigned bytes) {
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, to, from, bytes, &state_);
    }

  private:
    std::uint64_t state_;
};

}  // namespace sptune::cuda
