// The inner loop of everything stored row by row: one row times x.

#if defined(SPTUNE_KERNELS_SPMV_DOT_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef SPTUNE_KERNELS_SPMV_DOT_INL_HPP
#undef SPTUNE_KERNELS_SPMV_DOT_INL_HPP
#else
#define SPTUNE_KERNELS_SPMV_DOT_INL_HPP
#endif

#include "kernels/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace sptune {
namespace HWY_NAMESPACE {

/// Σ v[k] · x[c[k]] one entry at a time, with Unroll accumulators.
template <int Unroll, class T, class I>
HWY_INLINE T dot_scalar(const T* HWY_RESTRICT v, const I* HWY_RESTRICT c, std::ptrdiff_t n,
                        const T* HWY_RESTRICT x) {
    T sum[Unroll] = {};
    std::ptrdiff_t k = 0;
    if constexpr (Unroll > 1)
        for (; k + Unroll <= n; k += Unroll)
            for (int u = 0; u < Unroll; ++u) sum[u] += v[k + u] * x[c[k + u]];
    for (; k < n; ++k) sum[0] += v[k] * x[c[k]];
    for (int u = 1; u < Unroll; ++u) sum[0] += sum[u];
    return sum[0];
}

/// The same with whole vectors, Unroll of them in flight; short rows and tails go one by one.
template <int Unroll, class T, class I>
HWY_INLINE T dot_vector(const T* HWY_RESTRICT v, const I* HWY_RESTRICT c, std::ptrdiff_t n,
                        const T* HWY_RESTRICT x) {
    const hn::ScalableTag<T> d;
    constexpr std::ptrdiff_t lanes = hn::MaxLanes(hn::ScalableTag<T>());
    if (n < lanes) return dot_scalar<1>(v, c, n, x);
    auto sum0 = hn::Zero(d), sum1 = hn::Zero(d);
    std::ptrdiff_t k = 0;
    if constexpr (Unroll == 2)
        for (; k + 2 * lanes <= n; k += 2 * lanes) {
            sum0 = hn::MulAdd(hn::LoadU(d, v + k), assemble(d, x, c + k), sum0);
            sum1 = hn::MulAdd(hn::LoadU(d, v + k + lanes), assemble(d, x, c + k + lanes), sum1);
        }
    for (; k + lanes <= n; k += lanes)
        sum0 = hn::MulAdd(hn::LoadU(d, v + k), assemble(d, x, c + k), sum0);
    const T sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(sum0, sum1)));
    return sum + dot_scalar<1>(v + k, c + k, n - k, x);
}

}  // namespace HWY_NAMESPACE
}  // namespace sptune
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
