// What ELL and HYB do alike: rows that are all of one width, in SIMD lanes.

#if defined(SPTUNE_KERNELS_SPMV_ELL_LANES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef SPTUNE_KERNELS_SPMV_ELL_LANES_INL_HPP
#undef SPTUNE_KERNELS_SPMV_ELL_LANES_INL_HPP
#else
#define SPTUNE_KERNELS_SPMV_ELL_LANES_INL_HPP
#endif

#include "kernels/spmv/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace sptune {
namespace HWY_NAMESPACE {

/// Chunks [first, last) of C rows of a storage with rows, width, pitch, column and values.
template <int C, class Storage, class T>
HWY_NOINLINE void multiply_ell(const Storage& s, std::int64_t first, std::int64_t last, const T* x,
                               T* y, Epilogue<T> out) {
    for (std::int64_t i = first; i < last; ++i) {
        const std::int64_t row = i * C;
        multiply_lanes<C>(
            StoredValues<T>{s.values.data() + row}, s.column.data() + row,
            [&](std::ptrdiff_t j) { return j * s.pitch; }, s.width, x,
            [&](int lane, auto d, auto sum) {
                store_rows(d, sum, s.rows - row - lane, y + row + lane, out);
            });
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace sptune
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
