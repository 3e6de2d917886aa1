// Per-target building blocks of the CPU kernels: compiled once for each instruction set that
// Highway's foreach_target visits. Include it after hwy/foreach_target.h.

#if defined(SPTUNE_KERNELS_SIMD_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef SPTUNE_KERNELS_SIMD_INL_HPP
#undef SPTUNE_KERNELS_SIMD_INL_HPP
#else
#define SPTUNE_KERNELS_SIMD_INL_HPP
#endif

#include "hwy/highway.h"
#include "kernels/simd_target.hpp"

#include <cstddef>
#include <cstdint>

#include <omp.h>

HWY_BEFORE_NAMESPACE();
namespace sptune {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Lanes of the widest vector of T that divides `n`.
template <class T>
constexpr std::size_t lanes_dividing(std::size_t n) {
    std::size_t lanes = hn::MaxLanes(hn::ScalableTag<T>());
    while (n % lanes) lanes /= 2;
    return lanes;
}

/// {x[idx[0]], x[idx[1]], …}, by gather instructions or by scalar loads put together, whichever is
/// faster on the processors that run this target (simd_target.hpp).
template <class D, class T, class I>
HWY_INLINE hn::Vec<D> assemble(D d, const T* HWY_RESTRICT x, const I* HWY_RESTRICT idx) {
    constexpr std::size_t n = hn::MaxLanes(D());
#if HWY_TARGET == SPTUNE_GATHER_TARGET
    if constexpr (n * sizeof(T) >= 32) {
        const auto index = hn::LoadU(hn::Rebind<I, D>(), idx);
        const hn::Rebind<std::int32_t, D> d32;
        const hn::RebindToSigned<D> dx;
        if constexpr (sizeof(I) == sizeof(T))
            return hn::GatherIndex(d, x, index);
        else if constexpr (sizeof(I) == 4 || sizeof(T) == 4)
            return hn::GatherIndex(d, x, hn::PromoteTo(dx, index));
        else
            return hn::GatherIndex(d, x, hn::PromoteTo(dx, hn::PromoteTo(d32, index)));
    }
#endif
#if HWY_TARGET != HWY_SCALAR  // which has neither halves nor more than one lane
    if constexpr (n * sizeof(T) > 16) {
        const hn::Half<D> half;
        return hn::Combine(d, assemble(half, x, idx + n / 2), assemble(half, x, idx));
    }
#endif
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4
    if constexpr (sizeof(T) == 8 && n == 2) return hn::Vec<D>{_mm_set_pd(x[idx[1]], x[idx[0]])};
    if constexpr (sizeof(T) == 4 && n == 4)
        return hn::Vec<D>{_mm_set_ps(x[idx[3]], x[idx[2]], x[idx[1]], x[idx[0]])};
#endif
    HWY_ALIGN T lane[n];
    for (std::size_t i = 0; i < n; ++i) lane[i] = x[idx[i]];
    return hn::Load(d, lane);
}

/// y = α · sum + β · y, where β = 0 must not read y.
template <class T>
struct Epilogue {
    T alpha, beta;

    HWY_INLINE void store(T sum, T* HWY_RESTRICT y) const {
        *y = beta == T{0} ? alpha * sum : alpha * sum + beta * *y;
    }
    template <class D>
    HWY_INLINE void store(D d, hn::Vec<D> sum, T* HWY_RESTRICT y) const {
        const auto scaled = hn::Mul(hn::Set(d, alpha), sum);
        hn::StoreU(beta == T{0} ? scaled : hn::MulAdd(hn::Set(d, beta), hn::LoadU(d, y), scaled), d,
                   y);
    }
};

/// Calls body(part, parts) on each of `threads` threads, or right here for one.
template <class Body>
HWY_INLINE void parallel_parts(int threads, Body body) {
    if (threads == 1) {
        body(0, 1);
        return;
    }
#pragma omp parallel num_threads(threads)
    body(omp_get_thread_num(), omp_get_num_threads());
}

}  // namespace HWY_NAMESPACE
}  // namespace sptune
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
