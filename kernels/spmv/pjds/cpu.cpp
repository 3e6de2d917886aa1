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

/// Chunks get shorter towards the end, so threads claim pieces rather than share them out.
template <class T, int C, bool Serial>
void pjds_lanes(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const PjdsStorage<T>&>(storage);
    const Epilogue<T> out{alpha, beta};
    const std::int64_t chunks = static_cast<std::int64_t>(s.length.size());
    constexpr std::int64_t kPiece = 1024 / C;
    const std::int64_t pieces = (chunks + kPiece - 1) / kPiece;
    const auto run = [&](std::int64_t piece) {
        for (std::int64_t i = piece * kPiece; i < std::min(chunks, (piece + 1) * kPiece); ++i) {
            const std::int64_t first = i * C;
            multiply_lanes<C>(
                s.values.data() + first, s.column.data() + first,
                [&](std::ptrdiff_t j) { return s.diagonal[j]; }, s.length[i], x,
                [&](int row, auto d, auto sum) {
                    store_scattered(d, sum, s.order.data() + first + row, s.rows - first - row, y,
                                    out);
                });
        }
    };
    if (Serial) {
        for (std::int64_t piece = 0; piece < pieces; ++piece) run(piece);
    } else {
#pragma omp parallel for schedule(dynamic) num_threads(launch.threads)
        for (std::int64_t piece = 0; piece < pieces; ++piece) run(piece);
    }
}

using Grid = grid<axis<chunk_rows, 4, 8, 16, 32>>;

void pjds_kernels(KernelList<SPTUNE_VALUE>& list) {
    using T = SPTUNE_VALUE;
    for_each_point(Grid{}, [&]<class Point>(Point p) {
        add_for_workers<PjdsFormat, T>(list, "lanes", p.params(), {}, [](auto serial) {
            return &pjds_lanes<T, Point::template get<chunk_rows>(), serial>;
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
HWY_EXPORT(pjds_kernels);
void add_pjds_kernels(KernelList<SPTUNE_VALUE>& list) {
    HWY_DYNAMIC_DISPATCH(pjds_kernels)(list);
}
}  // namespace sptune
#endif
