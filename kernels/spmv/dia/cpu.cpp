// DIA on the CPU: neighbouring rows in SIMD lanes; x is read in whole vectors, never gathered.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/spmv/dia/cpu.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "kernels/parallel.hpp"
#include "kernels/spmv/add_workers.hpp"
#include "kernels/spmv/dia/format.hpp"
#include "kernels/spmv/dot-inl.hpp"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace sptune {
namespace HWY_NAMESPACE {
namespace {

/// vectors of rows in flight
struct unroll {
    static constexpr const char* name = "u";
};

/// Rows [row, row + Unroll vectors) of a tile, all diagonals inside the matrix.
template <int Unroll, class T>
HWY_INLINE void inner_rows(const DiaStorage<T>& s, const T* HWY_RESTRICT v, std::int64_t row,
                           const T* HWY_RESTRICT x, T* HWY_RESTRICT y, const Epilogue<T>& out) {
    const hn::ScalableTag<T> d;
    constexpr int width = hn::MaxLanes(hn::ScalableTag<T>());
    hn::Vec<decltype(d)> sum[Unroll];
#pragma GCC unroll 8
    for (int g = 0; g < Unroll; ++g) sum[g] = hn::Zero(d);
    for (const index_t diagonal : s.diagonal) {
        const T* HWY_RESTRICT from = x + row + diagonal;
#pragma GCC unroll 8
        for (int g = 0; g < Unroll; ++g)
            sum[g] =
                hn::MulAdd(hn::LoadU(d, v + g * width), hn::LoadU(d, from + g * width), sum[g]);
        v += kDiaTile;
    }
#pragma GCC unroll 8
    for (int g = 0; g < Unroll; ++g) out.store(d, sum[g], y + row + g * width);
}

/// One row near the edge, where some diagonals lie outside.
template <class T>
HWY_INLINE void edge_row(const DiaStorage<T>& s, const T* v, std::int64_t row, const T* x, T* y,
                         const Epilogue<T>& out) {
    T sum{0};
    for (const index_t diagonal : s.diagonal) {
        const std::int64_t column = row + diagonal;
        if (column >= 0 && column < s.cols) sum += *v * x[column];
        v += kDiaTile;
    }
    out.store(sum, y + row);
}

template <int Unroll, class T>
HWY_NOINLINE void tile_range(const DiaStorage<T>& s, std::int64_t first_tile,
                             std::int64_t last_tile, const T* x, T* y, Epilogue<T> out) {
    const std::int64_t width = static_cast<std::int64_t>(s.diagonal.size());
    constexpr std::int64_t step =
        Unroll * static_cast<std::int64_t>(hn::MaxLanes(hn::ScalableTag<T>()));
    static_assert(kDiaTile % step == 0);
    // Rows for which every diagonal lies inside.
    const std::int64_t inner_first =
        width ? std::max<std::int64_t>(0, -std::int64_t{s.diagonal.front()}) : 0;
    const std::int64_t inner_last =
        width ? std::min<std::int64_t>(s.rows, std::int64_t{s.cols} - s.diagonal.back()) : s.rows;
    for (std::int64_t t = first_tile; t < last_tile; ++t) {
        const T* v = s.values.data() + t * kDiaTile * width;
        const std::int64_t first = t * kDiaTile;
        const std::int64_t last = std::min<std::int64_t>(first + kDiaTile, s.rows);
        std::int64_t i = first;
        while (i < last) {
            if (i >= inner_first && i + step <= std::min(inner_last, last)) {
                inner_rows<Unroll>(s, v + (i - first), i, x, y, out);
                i += step;
            } else {
                edge_row(s, v + (i - first), i, x, y, out);
                ++i;
            }
        }
        if (!s.rest_ptr.empty())
            for (i = first; i < last; ++i) {
                const std::int64_t k = s.rest_ptr[i];
                y[i] +=
                    out.alpha * dot_scalar<1>(s.rest_values.data() + k, s.rest_column.data() + k,
                                              s.rest_ptr[i + 1] - k, x);
            }
    }
}

template <class T, int Unroll>
void dia_rows(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const DiaStorage<T>&>(storage);
    const std::int64_t tiles = (std::int64_t{s.rows} + kDiaTile - 1) / kDiaTile;
    parallel_parts(launch.threads, [&](int part, int parts) {
        tile_range<Unroll>(s, part_begin(tiles, parts, part), part_begin(tiles, parts, part + 1), x,
                           y, Epilogue<T>{alpha, beta});
    });
}

using Grid = grid<axis<unroll, 1, 2, 4>>;

void dia_kernels(KernelList<SPTUNE_VALUE>& list) {
    using T = SPTUNE_VALUE;
    for (const int percent : {kAll, 20, 60})
        for_each_point(Grid{}, [&]<class Point>(Point p) {
            constexpr int u = Point::template get<unroll>();
            add_for_workers<DiaFormat, &dia_rows<T, u>>(list, percent == kAll ? "rows" : "hybrid",
                                                        {{"f", percent}}, p.params());
        });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sptune
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sptune {
HWY_EXPORT(dia_kernels);
void add_dia_kernels(KernelList<SPTUNE_VALUE>& list) {
    HWY_DYNAMIC_DISPATCH(dia_kernels)(list);
}
}  // namespace sptune
#endif
