// CSC on the CPU: y += column · x_j, each thread in its own band of rows. Wins where there are few
// rows and many columns: y stays in the first cache and x is read once, in order.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/spmv/csc/cpu.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "kernels/axes.hpp"
#include "kernels/kernel_list.hpp"
#include "kernels/parallel.hpp"
#include "kernels/simd-inl.hpp"
#include "kernels/spmv/csc/format.hpp"

HWY_BEFORE_NAMESPACE();
namespace sptune {
namespace HWY_NAMESPACE {
namespace {

template <class T>
void csc_scatter(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const CscStorage<T>&>(storage);
    const int bands = static_cast<int>(s.bands.size());
    parallel_parts(bands == 1 ? 1 : launch.threads, [&](int part, int parts) {
        for (int b = part; b < bands; b += parts) {
            const auto& band = s.bands[b];
            for (index_t i = band.first_row; i < band.last_row; ++i)
                y[i] = beta == T{0} ? T{0} : beta * y[i];
            const std::int64_t* ptr = band.col_ptr.data();
            const index_t* row = band.row.data();
            const T* values = band.values.data();
            for (index_t j = 0; j < s.cols; ++j) {
                const T scaled = alpha * x[j];
                for (std::int64_t k = ptr[j]; k < ptr[j + 1]; ++k) y[row[k]] += values[k] * scaled;
            }
        }
    });
}

void csc_kernels(KernelList<SPTUNE_VALUE>& list) {
    using T = SPTUNE_VALUE;
    for_each_point(Workers{}, [&](auto point) {
        add_kernel_for_all_indices<CscFormat, T>(list, "scatter", point.params(), {},
                                                 &csc_scatter<T>);
    });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sptune
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sptune {
HWY_EXPORT(csc_kernels);
void add_csc_kernels(KernelList<SPTUNE_VALUE>& list) {
    HWY_DYNAMIC_DISPATCH(csc_kernels)(list);
}
}  // namespace sptune
#endif
