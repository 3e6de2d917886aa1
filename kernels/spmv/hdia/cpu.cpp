// HDIA on the CPU: rows side by side in SIMD lanes; x is read in whole vectors along the diagonals
// of a slice and put together from single entries for the rest.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/spmv/hdia/cpu.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "kernels/parallel.hpp"
#include "kernels/spmv/add_workers.hpp"
#include "kernels/spmv/balance.hpp"
#include "kernels/spmv/hdia/format.hpp"
#include "kernels/spmv/hdia/grid.hpp"
#include "kernels/spmv/lanes-inl.hpp"
#include "kernels/spmv/long_rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace sptune {
namespace HWY_NAMESPACE {
namespace {

/// One slice: its stored columns, of C values each, are `runs` diagonals and then `rest` others.
template <class T>
struct Slice {
    const T* HWY_RESTRICT values;
    const index_t* HWY_RESTRICT start;
    std::ptrdiff_t runs;
    const index_t* HWY_RESTRICT column;
    std::ptrdiff_t rest;
};

/// out(row, tag, vector) gets the sums of rows [row, row + lanes) of the slice.
template <int C, class T, class Out>
HWY_INLINE void multiply_slice(const Slice<T>& s, const T* HWY_RESTRICT x, Out out) {
    using Shape = LaneShape<T, C>;
    constexpr int width = Shape::width, groups = Shape::groups;
    // A vector or two wait for their own multiply-adds: then two chains.
    constexpr int chains = groups <= 2 ? 2 : 1;
    const hn::CappedTag<T, width> d;
    using V = hn::Vec<decltype(d)>;
    for (int first = 0; first < C; first += width * groups) {
        V sum[chains][groups];
#pragma GCC unroll 2
        for (int chain = 0; chain < chains; ++chain)
#pragma GCC unroll 8
            for (int g = 0; g < groups; ++g) sum[chain][g] = hn::Zero(d);
        const auto add_run = [&](int chain, std::ptrdiff_t j) {
            const T* HWY_RESTRICT v = s.values + j * C + first;
            const T* HWY_RESTRICT from = x + s.start[j] + first;
#pragma GCC unroll 8
            for (int g = 0; g < groups; ++g)
                sum[chain][g] = hn::MulAdd(hn::LoadU(d, v + g * width),
                                           hn::LoadU(d, from + g * width), sum[chain][g]);
        };
        const auto add_rest = [&](int chain, std::ptrdiff_t j) {
            const T* HWY_RESTRICT v = s.values + (s.runs + j) * C + first;
            const index_t* HWY_RESTRICT c = s.column + j * C + first;
#pragma GCC unroll 8
            for (int g = 0; g < groups; ++g)
                sum[chain][g] = hn::MulAdd(hn::LoadU(d, v + g * width),
                                           assemble(d, x, c + g * width), sum[chain][g]);
        };
        const auto add_all = [&](std::ptrdiff_t count, auto add) {
            std::ptrdiff_t j = 0;
            for (; j + chains <= count; j += chains)
#pragma GCC unroll 2
                for (int chain = 0; chain < chains; ++chain) add(chain, j + chain);
            if (chains > 1 && j < count) add(0, j);
        };
        add_all(s.runs, add_run);
        add_all(s.rest, add_rest);
#pragma GCC unroll 8
        for (int g = 0; g < groups; ++g)
            out(first + g * width, d,
                chains == 2 ? hn::Add(sum[0][g], sum[chains - 1][g]) : sum[0][g]);
    }
}

template <int C, class T>
HWY_NOINLINE void slice_range(const HdiaStorage<T>& s, index_t first, index_t last, const T* x,
                              T* y, Epilogue<T> out) {
    const std::int64_t* slice_ptr = s.slice_ptr.data();
    const std::int64_t* run_ptr = s.run_ptr.data();
    for (index_t i = first; i < last; ++i) {
        const std::ptrdiff_t runs = run_ptr[i + 1] - run_ptr[i];
        const Slice<T> slice{s.values.data() + slice_ptr[i], s.start.data() + run_ptr[i], runs,
                             s.column.data() + slice_ptr[i] - run_ptr[i] * C,
                             (slice_ptr[i + 1] - slice_ptr[i]) / C - runs};
        const std::ptrdiff_t row = std::ptrdiff_t{i} * C;
        multiply_slice<C>(slice, x, [&](int lane, auto d, auto sum) {
            store_rows(d, sum, s.rows - row - lane, y + row + lane, out);
        });
    }
}

template <class T, int C>
void hdia_simd(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const HdiaStorage<T>&>(storage);
    const auto slices_of = [&](int part, int parts) {
        const std::int64_t* ptr = s.slice_ptr.data();
        slice_range<C>(s, balanced_row(ptr, s.slices(), C, parts, part),
                       balanced_row(ptr, s.slices(), C, parts, part + 1), x, y,
                       Epilogue<T>{alpha, beta});
    };
    parallel_with_long_rows(s.beside, launch.threads, alpha, x, y, slices_of);
}

void hdia_kernels(KernelList<SPTUNE_VALUE>& list) {
    using T = SPTUNE_VALUE;
    for_each_point(hdia::Grid{}, [&]<class Point>(Point p) {
        constexpr int c = Point::template get<chunk_rows>();
        add_for_workers<HdiaFormat, &hdia_simd<T, c>>(list, "simd", p.params(), {});
    });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sptune
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sptune {
HWY_EXPORT(hdia_kernels);
void add_hdia_kernels(KernelList<SPTUNE_VALUE>& list) {
    HWY_DYNAMIC_DISPATCH(hdia_kernels)(list);
}
}  // namespace sptune
#endif
