// pJDS on the CPU: chunks of rows in SIMD lanes.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/spmv/pjds/cpu.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "kernels/parallel.hpp"
#include "kernels/spmv/add_workers.hpp"
#include "kernels/spmv/lanes-inl.hpp"
#include "kernels/spmv/pjds/format.hpp"

HWY_BEFORE_NAMESPACE();
namespace sptune {
namespace HWY_NAMESPACE {
namespace {

constexpr std::int64_t kPieceRows = 1024;

/// Chunks [first, last) of C rows.
template <int C, class T>
HWY_NOINLINE void chunk_range(const PjdsStorage<T>& s, std::int64_t first, std::int64_t last,
                              const T* x, T* y, Epilogue<T> out) {
    for (std::int64_t i = first; i < last; ++i) {
        const std::int64_t row = i * C;
        multiply_lanes<C>(
            StoredValues<T>{s.values.data() + row}, s.column.data() + row,
            [&](std::ptrdiff_t j) { return s.diagonal[j]; }, s.length[i], x,
            [&](int lane, auto d, auto sum) {
                store_scattered(d, sum, s.order.data() + row + lane, s.rows - row - lane, y, out);
            });
    }
}

/// Chunks get shorter towards the end, so threads claim pieces rather than share them out.
template <class T, int C>
void pjds_lanes(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const PjdsStorage<T>&>(storage);
    const std::int64_t chunks = static_cast<std::int64_t>(s.length.size());
    const auto run = [&](std::int64_t first, std::int64_t count) {
        chunk_range<C>(s, first, std::min(chunks, first + count), x, y, Epilogue<T>{alpha, beta});
    };
    if (launch.threads == 1) return run(0, chunks);
    constexpr std::int64_t kPiece = kPieceRows / C;
#pragma omp parallel for schedule(dynamic) num_threads(launch.threads)
    for (std::int64_t first = 0; first < chunks; first += kPiece) run(first, kPiece);
}

using Grid = grid<axis<chunk_rows, 4, 8, 16, 32>>;

void pjds_kernels(KernelList<SPTUNE_VALUE>& list) {
    using T = SPTUNE_VALUE;
    for_each_point(Grid{}, [&]<class Point>(Point p) {
        constexpr int c = Point::template get<chunk_rows>();
        add_for_workers<PjdsFormat, &pjds_lanes<T, c>>(list, "lanes", p.params(), {});
    });
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sptune
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sptune {
HWY_EXPORT(pjds_kernels);
void add_pjds_kernels(KernelList<SPTUNE_VALUE>& list) {
    HWY_DYNAMIC_DISPATCH(pjds_kernels)(list);
}
}  // namespace sptune
#endif
