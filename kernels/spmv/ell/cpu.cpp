// ELL on the CPU: rows in SIMD lanes (column-major), or SIMD along each row (row-major).

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/spmv/ell/cpu.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "kernels/parallel.hpp"
#include "kernels/spmv/add_workers.hpp"
#include "kernels/spmv/dot-inl.hpp"
#include "kernels/spmv/ell/format.hpp"
#include "kernels/spmv/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace sptune {
namespace HWY_NAMESPACE {
namespace {

template <class T, int C, bool Serial>
void ell_lanes(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const EllStorage<T>&>(storage);
    const Epilogue<T> out{alpha, beta};
    parallel_parts(Serial ? 1 : launch.threads, [&](int part, int parts) {
        const std::int64_t chunks = (std::int64_t{s.rows} + C - 1) / C;
        for (std::int64_t i = part_begin(chunks, parts, part);
             i < part_begin(chunks, parts, part + 1); ++i) {
            const std::int64_t first = i * C;
            multiply_lanes<C>(
                s.values.data() + first, s.column.data() + first,
                [&](std::ptrdiff_t j) { return j * s.pitch; }, s.width, x,
                [&](int row, auto d, auto sum) {
                    store_rows(d, sum, s.rows - first - row, y + first + row, out);
                });
        }
    });
}

template <class T, bool Serial>
void ell_rows(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const EllStorage<T>&>(storage);
    const Epilogue<T> out{alpha, beta};
    parallel_parts(Serial ? 1 : launch.threads, [&](int part, int parts) {
        for (std::int64_t i = part_begin(s.rows, parts, part);
             i < part_begin(s.rows, parts, part + 1); ++i)
            out.store(dot_vector<2>(s.values.data() + i * s.width, s.column.data() + i * s.width,
                                    static_cast<std::ptrdiff_t>(s.width), x),
                      y + i);
    });
}

using LanesGrid = grid<axis<chunk_rows, 8, 16, kEllChunk>>;

void ell_kernels(KernelList<SPTUNE_VALUE>& list) {
    using T = SPTUNE_VALUE;
    for_each_point(LanesGrid{}, [&]<class Point>(Point p) {
        add_for_workers<EllFormat, T>(list, "lanes", {{"o", 1}}, p.params(), [](auto serial) {
            return &ell_lanes<T, Point::template get<chunk_rows>(), serial>;
        });
    });
    add_for_workers<EllFormat, T>(list, "rows", {{"o", 2}}, {},
                                  [](auto serial) { return &ell_rows<T, serial>; });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sptune
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/spmv/formats.hpp"

namespace sptune {
HWY_EXPORT(ell_kernels);
void add_ell_kernels(KernelList<SPTUNE_VALUE>& list) {
    HWY_DYNAMIC_DISPATCH(ell_kernels)(list);
}
}  // namespace sptune
#endif
