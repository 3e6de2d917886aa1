// ELL on the CPU: rows in SIMD lanes (column-major), or SIMD along each row (row-major).

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/spmv/ell/cpu.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "kernels/parallel.hpp"
#include "kernels/spmv/add_workers.hpp"
#include "kernels/spmv/dot-inl.hpp"
#include "kernels/spmv/ell/format.hpp"
#include "kernels/spmv/ell_lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace sptune {
namespace HWY_NAMESPACE {
namespace {

template <class T, int C>
void ell_lanes(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const EllStorage<T>&>(storage);
    const std::int64_t chunks = (std::int64_t{s.rows} + C - 1) / C;
    parallel_parts(launch.threads, [&](int part, int parts) {
        multiply_ell<C>(s, part_begin(chunks, parts, part), part_begin(chunks, parts, part + 1), x,
                        y, Epilogue<T>{alpha, beta});
    });
}

template <class T>
HWY_NOINLINE void row_range(const EllStorage<T>& s, std::int64_t first, std::int64_t last,
                            const T* x, T* y, Epilogue<T> out) {
    for (std::int64_t i = first; i < last; ++i)
        out.store(dot_vector<2>(s.values.data() + i * s.width, s.column.data() + i * s.width,
                                static_cast<std::ptrdiff_t>(s.width), x),
                  y + i);
}

template <class T>
void ell_rows(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const EllStorage<T>&>(storage);
    parallel_parts(launch.threads, [&](int part, int parts) {
        row_range(s, part_begin(s.rows, parts, part), part_begin(s.rows, parts, part + 1), x, y,
                  Epilogue<T>{alpha, beta});
    });
}

using LanesGrid = grid<axis<chunk_rows, 8, 16, kEllChunk>>;

void ell_kernels(KernelList<SPTUNE_VALUE>& list) {
    using T = SPTUNE_VALUE;
    for_each_point(LanesGrid{}, [&]<class Point>(Point p) {
        constexpr int c = Point::template get<chunk_rows>();
        add_for_workers<EllFormat, &ell_lanes<T, c>>(list, "lanes", {{"o", 1}}, p.params());
    });
    add_for_workers<EllFormat, &ell_rows<T>>(list, "rows", {{"o", 2}}, {});
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sptune
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sptune {
HWY_EXPORT(ell_kernels);
void add_ell_kernels(KernelList<SPTUNE_VALUE>& list) {
    HWY_DYNAMIC_DISPATCH(ell_kernels)(list);
}
}  // namespace sptune
#endif
