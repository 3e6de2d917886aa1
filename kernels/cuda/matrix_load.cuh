// How kernels read A: what fits stays in the L2 cache until the next call, the rest passes by.
//
// A kernel that leaves everything to the cache gets nothing out of it once A is larger: each line
// is gone before its turn comes again. One that marks all of A as read once does not even find
// again what would fit. So some blocks of the grid keep what they read, which the same blocks find
// in the next call; what the others read makes room first. Those that keep are spread over the
// grid, so that the cache and the memory deliver at the same time.
#pragma once

#include "kernels/cuda/device.cuh"

#include <cstring>

namespace sptune::cuda {

/// To be made once by each thread.
class MatrixLoad {
  public:
    /// `kept`: which share of the blocks keeps what it reads, as kept_share() says.
    __device__ __forceinline__ explicit MatrixLoad(unsigned kept) {
        constexpr unsigned kGolden = 0x9e3779b1;  // spreads neighbours over all numbers
        const bool keep = blockIdx.x * kGolden <= kept;
#if __CUDA_ARCH__ >= 800
        if (keep)
            asm("createpolicy.fractional.L2::evict_unchanged.b64 %0, 1.0;" : "=l"(policy_));
        else
            asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy_));
#else
        policy_ = keep;
#endif
    }

    /// Of 2, 4, 8 or 16 bytes, with those of the rest of the warp side by side: what is left of
    /// their lines may be gone before it is asked for.
    template <class N>
    __device__ __forceinline__ N operator()(const N* p) const {
        if constexpr (sizeof(N) < 16) {
            return when(true, p, N{});
        } else {
#if __CUDA_ARCH__ >= 800
            uint4 v;
            asm("ld.global.nc.L1::evict_first.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;"
                : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                : "l"(p), "l"(policy_));
            N n;
            static_assert(sizeof n == sizeof v);
            memcpy(&n, &v, sizeof n);
            return n;
#else
            return policy_ ? __ldg(p) : __ldcs(p);
#endif
        }
    }
    /// The number at p where it is `there`, without a branch, which would keep the loads before and
    /// behind it apart.
    template <class N>
    __device__ __forceinline__ N when(bool there, const N* p, N otherwise) const {
#if __CUDA_ARCH__ >= 800
        // Without a hint, L1::evict_first would be taken for the L2 cache as well.
#define SPTUNE_LOAD(type)                                      \
    "{\n.reg .pred there;\nsetp.ne.s32 there, %3, 0;\n"        \
    "@there ld.global.nc.L1::evict_first.L2::cache_hint." type \
    " "                                                        \
    "%0, [%1], %2;\n}"
        if constexpr (sizeof(N) == 2) {
            std::uint16_t v;
            memcpy(&v, &otherwise, sizeof v);
            asm(SPTUNE_LOAD("u16") : "+h"(v) : "l"(p), "l"(policy_), "r"(static_cast<int>(there)));
            memcpy(&otherwise, &v, sizeof v);
        } else if constexpr (sizeof(N) == 4) {
            std::uint32_t v;
            memcpy(&v, &otherwise, sizeof v);
            asm(SPTUNE_LOAD("u32") : "+r"(v) : "l"(p), "l"(policy_), "r"(static_cast<int>(there)));
            memcpy(&otherwise, &v, sizeof v);
        } else {
            static_assert(sizeof(N) == 8);
            unsigned long long v;
            memcpy(&v, &otherwise, sizeof v);
            asm(SPTUNE_LOAD("u64") : "+l"(v) : "l"(p), "l"(policy_), "r"(static_cast<int>(there)));
            memcpy(&otherwise, &v, sizeof v);
        }
#undef SPTUNE_LOAD
        return otherwise;
#else
        return !there ? otherwise : policy_ ? __ldg(p) : __ldcs(p);
#endif
    }

  private:
    std::uint64_t policy_;
};

}  // namespace sptune::cuda
