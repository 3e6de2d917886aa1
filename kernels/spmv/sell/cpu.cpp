// SELL-C-σ on the CPU: rows side by side in SIMD lanes.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/spmv/sell/cpu.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "kernels/parallel.hpp"
#include "kernels/spmv/add_workers.hpp"
#include "kernels/spmv/balance.hpp"
#include "kernels/spmv/lanes-inl.hpp"
#include "kernels/spmv/long_rows-inl.hpp"
#include "kernels/spmv/sell/format.hpp"
#include "kernels/spmv/sell/grid.hpp"

HWY_BEFORE_NAMESPACE();
namespace sptune {
namespace HWY_NAMESPACE {
namespace {

/// Slices [first, last), without values where `kOne`.
template <int C, int IndexBits, bool kOne, class T>
HWY_NOINLINE void slice_range(const SellStorage<T>& s, index_t first, index_t last, const T* x,
                              T* y, Epilogue<T> out) {
    const std::int64_t* slice_ptr = s.slice_ptr.data();
    const index_t* order = s.order.data();
    for (index_t i = first; i < last; ++i) {
        const std::int64_t begin = slice_ptr[i];
        const std::ptrdiff_t width = (slice_ptr[i + 1] - begin) / C;
        const std::ptrdiff_t row = std::ptrdiff_t{i} * C;
        const auto store = [&](int lane, auto d, auto sum) {
            const std::ptrdiff_t count = s.rows - row - lane;
            if (order)
                store_scattered(d, sum, order + row + lane, count, y, out);
            else
                store_rows(d, sum, count, y + row + lane, out);
        };
        const auto start = [](std::ptrdiff_t j) { return j * C; };
        const auto multiply = [&](const auto* column, const T* from) {
            if constexpr (kOne) {
                const OneValue<T> one{s.one->value, s.one->full[i], s.one->length.data() + row};
                multiply_lanes<C>(one, column, start, width, from, store);
            } else {
                multiply_lanes<C>(StoredValues<T>{s.values.data() + begin}, column, start, width,
                                  from, store);
            }
        };
        if constexpr (IndexBits == 16)
            multiply(s.offset.data() + begin, x + s.base[i]);
        else
            multiply(s.column.data() + begin, x);
    }
}

template <class T, int C, int IndexBits>
void sell_simd(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const SellStorage<T>&>(storage);
    const auto slices_of = [&](int part, int parts) {
        const std::int64_t* ptr = s.slice_ptr.data();
        const index_t first = balanced_row(ptr, s.slices(), C, parts, part);
        const index_t last = balanced_row(ptr, s.slices(), C, parts, part + 1);
        const Epilogue<T> out{alpha, beta};
        if constexpr (sell::knows_one_value(C))
            if (s.one) return slice_range<C, IndexBits, true>(s, first, last, x, y, out);
        slice_range<C, IndexBits, false>(s, first, last, x, y, out);
    };
    parallel_with_long_rows(s.beside, launch.threads, alpha, x, y, slices_of);
}

void sell_kernels(KernelList<SPTUNE_VALUE>& list) {
    using T = SPTUNE_VALUE;
    for_each_point(sell::Grid{}, [&]<class Point>(Point) {
        constexpr int c = Point::template get<chunk_rows>();
        constexpr int bits = Point::template get<index_bits>();
        sell::for_each_sigma(c, [&](int sigma) {
            const Params layout{{"c", c}, {"s", sigma}, {"x", bits}};
            add_for_workers<SellFormat, &sell_simd<T, c, bits>>(list, "simd", layout, {});
        });
    });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sptune
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sptune {
HWY_EXPORT(sell_kernels);
void add_sell_kernels(KernelList<SPTUNE_VALUE>& list) {
    HWY_DYNAMIC_DISPATCH(sell_kernels)(list);
}
}  // namespace sptune
#endif
