// Several vectors, as many as registers hold, times a matrix: sums of a row stay in registers, one
// lane for each vector, while its entries go by. Include it after hwy/foreach_target.h.

#if defined(SPTUNE_KERNELS_SPMM_PASS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef SPTUNE_KERNELS_SPMM_PASS_INL_HPP
#undef SPTUNE_KERNELS_SPMM_PASS_INL_HPP
#else
#define SPTUNE_KERNELS_SPMM_PASS_INL_HPP
#endif

#include "kernels/parallel.hpp"
#include "kernels/simd-inl.hpp"
#include "kernels/spmm/cpu.hpp"
#include "kernels/spmm/vectors.hpp"
#include "kernels/spmv/balance.hpp"
#include "matrix/csr.hpp"
#include "matrix/partition_point.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace sptune {
namespace HWY_NAMESPACE {
namespace {

/// How a row of x, and of y where they lie row by row, fits the registers.
enum class Fit {
    tight,   ///< it has `width` entries, and the next one follows
    blocks,  ///< of x and y, which both lie row by row, `blocks` times `width` entries are used
    partial  ///< what belongs to no vector is read, and not written
};

/// One pass over A, for `count` vectors, `width` of which registers take at once. Where they fit in
/// part, vectors of lanes are read beyond the row: what comes there is of the next one, and belongs
/// to nobody's sum. Behind the last row may come nothing at all, so rows from `end` on, too near to
/// it, are read at `rest`, `width` entries each.
template <class T, class P>
struct Pass {
    CsrView<T, P> a;
    const T* x;  ///< row by row
    std::ptrdiff_t step;
    Vectors<T> y;
    std::size_t count, width;
    Epilogue<T> out;
    index_t end;
    const T* rest;
    std::size_t blocks = 1;

    HWY_INLINE Pass of_block(std::size_t block) const {
        Pass p = *this;
        p.x += block * width;
        return p;
    }
};

/// Of a row, for R vectors of lanes.
template <class D, int R>
struct Sums {
    hn::Vec<D> of[R];

    HWY_INLINE void write(hn::TFromD<D>* HWY_RESTRICT to) const {
        for (int r = 0; r < R; ++r)
            hn::StoreU(of[r], D(), to + static_cast<std::size_t>(r) * hn::MaxLanes(D()));
    }
};

/// Σ values · x over entries [begin, end). Of long rows every other entry is added to sums of its
/// own where there are registers for them, so that fewer additions wait for the one before.
template <class D, int R, Fit F, class T, class P>
HWY_INLINE Sums<D, R> sum_entries(const Pass<T, P>& p, P begin, P end) {
    const D d;
    constexpr std::size_t n = hn::MaxLanes(D());
    constexpr P kLong = 12;
    const auto add = [&](P k, Sums<D, R>& sum) HWY_ATTR {
        const index_t column = p.a.col_idx[k];
        const T* x =
            p.x + std::ptrdiff_t{column} * (F == Fit::tight ? std::ptrdiff_t{R * n} : p.step);
        if constexpr (F == Fit::partial)
            if (column >= p.end) x = p.rest + std::ptrdiff_t{column - p.end} * (R * n);
        const auto value = hn::Set(d, p.a.values[k]);
        for (int r = 0; r < R; ++r)
            sum.of[r] =
                hn::MulAdd(value, hn::LoadU(d, x + static_cast<std::size_t>(r) * n), sum.of[r]);
    };
    Sums<D, R> sum;
    for (int r = 0; r < R; ++r) sum.of[r] = hn::Zero(d);
    P k = begin;
    if constexpr (2 * R <= static_cast<int>(kManyRegisters)) {
        if (end - begin >= kLong) {
            Sums<D, R> other = sum;
            for (const P last = end - 1; k < last; k += 2) add(k, sum), add(k + 1, other);
            for (int r = 0; r < R; ++r) sum.of[r] = hn::Add(sum.of[r], other.of[r]);
        }
    }
    for (; k < end; ++k) add(k, sum);
    return sum;
}

/// What follows a row of y stays as it is, also for a moment: another thread may have it.
template <class D, class T>
HWY_INLINE void store_first(D d, const Epilogue<T>& out, hn::Vec<D> sum, T* HWY_RESTRICT to,
                            std::size_t count) {
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86  // else blended stores may write all of it
    const auto mask = hn::FirstN(d, count);
    const auto scaled = hn::Mul(hn::Set(d, out.alpha), sum);
    hn::BlendedStore(out.beta == T{0}
                         ? scaled
                         : hn::MulAdd(hn::Set(d, out.beta), hn::MaskedLoad(mask, d, to), scaled),
                     mask, d, to);
#else
    HWY_ALIGN T lane[hn::MaxLanes(D())];
    hn::Store(sum, d, lane);
    for (std::size_t j = 0; j < count; ++j) out.store(lane[j], to + j);
#endif
}

/// y of a row that lies together.
template <class D, int R, Fit F, class T, class P>
HWY_INLINE void store_row(const Pass<T, P>& p, const Sums<D, R>& sum, T* HWY_RESTRICT to) {
    const D d;
    constexpr std::size_t n = hn::MaxLanes(D());
    for (std::size_t r = 0; r < R; ++r)
        if (F != Fit::partial || (r + 1) * n <= p.count)
            p.out.store(d, sum.of[r], to + r * n);
        else if (r * n < p.count)
            store_first(d, p.out, sum.of[r], to + r * n, p.count - r * n);
}

/// The same of rows whose entries lie apart, from `sums`, `width` each.
template <class T, class P>
HWY_INLINE void store_rows(const Pass<T, P>& p, index_t first, index_t rows,
                           const T* HWY_RESTRICT sums) {
    for (std::size_t j = 0; j < p.count; ++j) {
        T* const to = p.y.from(j).at(first);
        for (index_t i = 0; i < rows; ++i)
            p.out.store(sums[static_cast<std::size_t>(i) * p.width + j], to + i);
    }
}

/// Steps [from, to) of the merge path (spmv/csr/cpu.cpp). Returns the row that it did not finish;
/// what it found of that is in `carry`.
template <class D, int R, Fit F, class T, class P>
HWY_NOINLINE index_t multiply_share(const Pass<T, P>& pass, std::int64_t from, std::int64_t to,
                                    T* HWY_RESTRICT carry) {
    const Pass<T, P> p = pass;  // which no store to y can change: it stays in registers
    const P* const ptr = p.a.row_ptr;
    const auto row_at = [&](std::int64_t at) {
        return partition_point(index_t{0}, p.a.rows, [&](index_t r) {
            return static_cast<std::int64_t>(ptr[r + 1]) + r < at;
        });
    };
    index_t i = row_at(from);
    const index_t end = row_at(to);
    P k = static_cast<P>(from - i);
    if (p.y.by_rows()) {
        for (; i < end; ++i) {
            const P first = std::exchange(k, ptr[i + 1]);
            T* const y = p.y.at(i);
            for (std::size_t b = 0; b < (F == Fit::blocks ? p.blocks : 1); ++b)
                store_row<D, R, F>(p, sum_entries<D, R, F>(p.of_block(b), first, k),
                                   y + b * p.width);
        }
    } else {
        constexpr index_t kRows = 32;  // their sums stay in the first cache
        HWY_ALIGN T sums[kRows * R * hn::MaxLanes(D())];
        while (i < end) {
            const index_t rows = std::min(kRows, end - i);
            for (index_t r = 0; r < rows; ++r) {
                const P first = std::exchange(k, ptr[i + r + 1]);
                sum_entries<D, R, F>(p, first, k)
                    .write(sums + static_cast<std::size_t>(r) * p.width);
            }
            store_rows(p, i, rows, sums);
            i += rows;
        }
    }
    const P last = std::max(k, static_cast<P>(to - end));
    for (std::size_t b = 0; b < p.blocks; ++b)
        sum_entries<D, R, F>(p.of_block(b), k, last).write(carry + b * p.width);
    return end;
}

template <class D, int R, Fit F, class T, class P>
void multiply_pass(const Pass<T, P>& p, T* carried, int threads) {
    index_t row[kMostShares];
    const int shares = std::min(threads, kMostShares);
    const std::int64_t work = std::int64_t{p.a.rows} + static_cast<std::int64_t>(p.a.nnz());
    const auto carry_of = [&](int share) {
        return carried + static_cast<std::size_t>(share) * p.width * p.blocks;
    };
    parallel_parts(shares, [&](int part, int parts) {
        for (int share = part; share < shares; share += parts)
            row[share] =
                multiply_share<D, R, F>(p, part_begin(work, shares, share),
                                        part_begin(work, shares, share + 1), carry_of(share));
    });
    for (int share = 0; share + 1 < shares; ++share)
        if (row[share] < p.a.rows)
            for (std::size_t j = 0; j < p.count; ++j)
                *p.y.from(j).at(row[share]) += p.out.alpha * carry_of(share)[j];
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sptune
HWY_AFTER_NAMESPACE();

#endif
