// HYB on the CPU: each thread does the ELL part of its rows, then their share of the COO part.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/spmv/hyb/cpu.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "kernels/parallel.hpp"
#include "kernels/spmv/add_workers.hpp"
#include "kernels/spmv/dot-inl.hpp"
#include "kernels/spmv/hyb/format.hpp"
#include "kernels/spmv/lanes-inl.hpp"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace sptune {
namespace HWY_NAMESPACE {
namespace {

template <class T, int C, bool Serial>
void hyb_lanes(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const HybStorage<T>&>(storage);
    const Epilogue<T> out{alpha, beta};
    parallel_parts(Serial ? 1 : launch.threads, [&](int part, int parts) {
        const std::int64_t chunks = (std::int64_t{s.rows} + C - 1) / C;
        const std::int64_t from = part_begin(chunks, parts, part);
        const std::int64_t to = part_begin(chunks, parts, part + 1);
        for (std::int64_t i = from; i < to; ++i) {
            const std::int64_t first = i * C;
            multiply_lanes<C>(
                s.values.data() + first, s.column.data() + first,
                [&](std::ptrdiff_t j) { return j * s.pitch; }, s.width, x,
                [&](int row, auto d, auto sum) {
                    store_rows(d, sum, s.rows - first - row, y + first + row, out);
                });
        }
        const index_t* row = s.rest_row.data();
        const index_t* last = row + s.rest_row.size();
        const index_t* end = std::lower_bound(row, last, to * C);
        for (const index_t* k = std::lower_bound(row, last, from * C); k < end;) {
            const index_t* stop = k + 1;
            while (stop < end && *stop == *k) ++stop;
            y[*k] += alpha * dot_vector<2>(s.rest_values.data() + (k - row),
                                           s.rest_column.data() + (k - row), stop - k, x);
            k = stop;
        }
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
        add_for_workers<HybFormat, T>(list, "lanes", {all[0]}, {all[1]}, [](auto serial) {
            return &hyb_lanes<T, Point::template get<chunk_rows>(), serial>;
        });
    });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sptune
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/spmv/formats.hpp"

namespace sptune {
HWY_EXPORT(hyb_kernels);
void add_hyb_kernels(KernelList<SPTUNE_VALUE>& list) {
    HWY_DYNAMIC_DISPATCH(hyb_kernels)(list);
}
}  // namespace sptune
#endif
