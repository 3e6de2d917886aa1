// COO on the CPU: segmented reduction over equal shares of the entries. No atomics: what a thread
// finds of its first row, which the thread before may hold too, is added afterwards in order.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/spmv/coo/cpu.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "kernels/parallel.hpp"
#include "kernels/spmv/add_workers.hpp"
#include "kernels/spmv/balance.hpp"
#include "kernels/spmv/coo/format.hpp"
#include "kernels/spmv/dot-inl.hpp"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace sptune {
namespace HWY_NAMESPACE {
namespace {

template <class T>
void coo_segmented(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    struct Carry {
        index_t row;
        T sum;
    };
    const auto& s = static_cast<const CooStorage<T>&>(storage);
    Carry carry[kMostShares];
    // However many threads OpenMP delivers, rows are cut at the same places.
    const int shares = std::min(launch.threads, kMostShares);
    const auto add_share = [&](int share) {
        const std::int64_t nnz = static_cast<std::int64_t>(s.values.size());
        std::int64_t k = part_begin(nnz, shares, share);
        const std::int64_t end = part_begin(nnz, shares, share + 1);
        carry[share] = {0, T{0}};
        bool first = true;
        while (k < end) {
            const index_t row = s.row[k];
            std::int64_t stop = k + 1;
            while (stop < end && s.row[stop] == row) ++stop;
            const T sum = dot_scalar<1>(s.values.data() + k, s.column.data() + k, stop - k, x);
            if (first)
                carry[share] = {row, sum};
            else
                y[row] += alpha * sum;
            first = false;
            k = stop;
        }
    };
    parallel_parts(shares, [&](int part, int parts) {
        for (std::int64_t i = part_begin(s.rows, parts, part);
             i < part_begin(s.rows, parts, part + 1); ++i)
            y[i] = beta == T{0} ? T{0} : beta * y[i];
        if (parts > 1) {
#pragma omp barrier
        }
        for (int share = part; share < shares; share += parts) add_share(share);
    });
    if (s.rows > 0)
        for (int share = 0; share < shares; ++share)
            y[carry[share].row] += alpha * carry[share].sum;
}

void coo_kernels(KernelList<SPTUNE_VALUE>& list) {
    using T = SPTUNE_VALUE;
    add_for_workers<CooFormat, &coo_segmented<T>>(list, "segmented", {}, {});
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sptune
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sptune {
HWY_EXPORT(coo_kernels);
void add_coo_kernels(KernelList<SPTUNE_VALUE>& list) {
    HWY_DYNAMIC_DISPATCH(coo_kernels)(list);
}
}  // namespace sptune
#endif
