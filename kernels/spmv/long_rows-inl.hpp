// Slices and the long rows beside them (long_rows.hpp).

#if defined(SPTUNE_KERNELS_SPMV_LONG_ROWS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef SPTUNE_KERNELS_SPMV_LONG_ROWS_INL_HPP
#undef SPTUNE_KERNELS_SPMV_LONG_ROWS_INL_HPP
#else
#define SPTUNE_KERNELS_SPMV_LONG_ROWS_INL_HPP
#endif

#include "kernels/spmv/balance.hpp"
#include "kernels/spmv/dot-inl.hpp"
#include "kernels/spmv/long_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace sptune {
namespace HWY_NAMESPACE {

/// What each share found of each long row that it had to do with. Two shares have one row in common
/// at most, so that row + share is a place of its own.
template <class T>
struct LongSums {
    int shares;
    T at[LongRowRule::kMostLongRows + kMostShares];  // not initialised: most calls need none
};

/// The row, and which entries of it are in `share` of equal ones, for each row that has some there.
template <class T, class Use>
HWY_INLINE void for_each_in_share(const LongRows<T>& rows, int share, int shares, Use use) {
    std::int64_t k = part_begin(rows.entries(), shares, share);
    const std::int64_t end = part_begin(rows.entries(), shares, share + 1);
    for (index_t row = k < end ? rows.row_of(k) : 0; k < end; ++row) {
        const std::int64_t stop = std::min(end, rows.ptr[row + 1]);
        use(row, k, stop);
        k = stop;
    }
}

/// slices(part, parts) on each of `threads` threads, and of the long rows as much as anybody else.
/// However many threads OpenMP delivers, rows are cut at the same places.
template <class T, class Slices>
HWY_INLINE void parallel_with_long_rows(const LongRows<T>& rows, int threads, T alpha, const T* x,
                                        T* y, Slices slices) {
    LongSums<T> sums;
    sums.shares = rows.count() ? std::min(threads, kMostShares) : 0;
    parallel_parts(threads, [&](int part, int parts) {
        slices(part, parts);
        for (int share = part; share < sums.shares; share += parts)
            for_each_in_share(
                rows, share, sums.shares, [&](index_t row, std::int64_t begin, std::int64_t end) {
                    sums.at[row + share] = dot_vector<2>(
                        rows.values.data() + begin, rows.column.data() + begin, end - begin, x);
                });
    });
    for (int share = 0; share < sums.shares; ++share)
        for_each_in_share(rows, share, sums.shares, [&](index_t row, std::int64_t, std::int64_t) {
            y[rows.row[row]] += alpha * sums.at[row + share];
        });
}

}  // namespace HWY_NAMESPACE
}  // namespace sptune
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
