// HYB on the CPU: each thread does the ELL part of its rows, then their share of the COO part.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/spmv/hyb/cpu.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "kernels/parallel.hpp"
#include "kernels/spmv/add_workers.hpp"
#include "kernels/spmv/dot-inl.hpp"
#include "kernels/spmv/ell_lanes-inl.hpp"
#include "kernels/spmv/hyb/format.hpp"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace sptune {
namespace HWY_NAMESPACE {
namespace {

/// Chunks [first, last) of C rows: what of them is in the ELL part, then what is in the COO part.
template <int C, class T>
HWY_NOINLINE void chunk_range(const HybStorage<T>& s, std::int64_t first, std::int64_t last,
                              const T* x, T* y, Epilogue<T> out) {
    multiply_ell<C>(s, first, last, x, y, out);
    const index_t* row = s.rest_row.data();
    const index_t* rest_end = row + s.rest_row.size();
    const index_t* end = std::lower_bound(row, rest_end, last * C);
    for (const index_t* k = std::lower_bound(row, rest_end, first * C); k < end;) {
        const index_t* stop = k + 1;
        while (stop < end && *stop == *k) ++stop;
        y[*k] += out.alpha * dot_vector<2>(s.rest_values.data() + (k - row),
                                           s.rest_column.data() + (k - row), stop - k, x);
        k = stop;
    }
}

template <class T, int C>
void hyb_lanes(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const HybStorage<T>&>(storage);
    const std::int64_t chunks = (std::int64_t{s.rows} + C - 1) / C;
    parallel_parts(launch.threads, [&](int part, int parts) {
        chunk_range<C>(s, part_begin(chunks, parts, part), part_begin(chunks, parts, part + 1), x,
                       y, Epilogue<T>{alpha, beta});
    });
}

/// rows that fit the ELL part, in %
struct quantile {
    static constexpr const char* name = "q";
};
using Grid = grid<axis<quantile, 50, 75, 90, 95>, axis<chunk_rows, 8, kHybChunk>>;

void hyb_kernels(KernelList<SPTUNE_VALUE>& list) {
    using T = SPTUNE_VALUE;
    for_each_point(Grid{}, [&]<class Point>(Point p) {
        const Params all = p.params();
        constexpr int c = Point::template get<chunk_rows>();
        add_for_workers<HybFormat, &hyb_lanes<T, c>>(list, "lanes", {all[0]}, {all[1]});
    });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sptune
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sptune {
HWY_EXPORT(hyb_kernels);
void add_hyb_kernels(KernelList<SPTUNE_VALUE>& list) {
    HWY_DYNAMIC_DISPATCH(hyb_kernels)(list);
}
}  // namespace sptune
#endif
