// Sums of a row are held in registers, one lane for each vector, while its entries go by.
#include "kernels/spmm/cpu.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/spmm/cpu.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "kernels/parallel.hpp"
#include "kernels/simd-inl.hpp"
#include "kernels/spmv/balance.hpp"
#include "matrix/partition_point.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

#ifndef SPTUNE_KERNELS_SPMM_CPU_ONCE
#define SPTUNE_KERNELS_SPMM_CPU_ONCE
namespace sptune {
template <class T, class P>
struct ManyCall {
    CsrView<T, P> a;
    T alpha;
    Vectors<const T> x;
    T beta;
    Vectors<T> y;
    std::size_t count;
    ManyScratch<T>& scratch;
    int threads;
};

inline constexpr std::size_t kRegisters = 4;  ///< of sums
/// Of vectors that lie one by one a pass takes a cache line of each row at the most.
template <class T>
inline constexpr std::size_t kLine = 64 / sizeof(T);
/// Vectors of a pass at most, on any processor.
template <class T>
inline constexpr std::size_t kMostOfPass = kRegisters* kLine<T>;

/// Grows, and forgets what it held.
template <class T>
T* at_least(Buffer<T>& buffer, std::size_t size) {
    if (buffer.size() < size) buffer = {}, buffer = Buffer<T>(size);
    return buffer.data();
}
}  // namespace sptune
#endif

HWY_BEFORE_NAMESPACE();
namespace sptune {
namespace HWY_NAMESPACE {
namespace {

/// One pass over A, for `count` vectors. Vectors of lanes may be read beyond those: what comes
/// there is of the next row, and belongs to nobody's sum. Behind the last row may come nothing at
/// all, so rows from `end` on, too near to it, are read at `rest`, `width` entries each.
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
};

/// Writes Σ values · x over entries [begin, end) to `sum`, for R vectors of lanes.
template <class D, int R, bool Whole, class T, class P>
HWY_INLINE void sum_entries(const Pass<T, P>& p, P begin, P end, T* HWY_RESTRICT sum) {
    const D d;
    constexpr std::size_t n = hn::MaxLanes(D());
    auto sum0 = hn::Zero(d), sum1 = sum0, sum2 = sum0, sum3 = sum0;
    for (P k = begin; k < end; ++k) {
        const index_t column = p.a.col_idx[k];
        const T* x = p.x + std::ptrdiff_t{column} * p.step;
        if constexpr (!Whole)
            if (column >= p.end) x = p.rest + std::ptrdiff_t{column - p.end} * (R * n);
        const auto value = hn::Set(d, p.a.values[k]);
        sum0 = hn::MulAdd(value, hn::LoadU(d, x), sum0);
        if constexpr (R > 1) sum1 = hn::MulAdd(value, hn::LoadU(d, x + n), sum1);
        if constexpr (R > 2) sum2 = hn::MulAdd(value, hn::LoadU(d, x + 2 * n), sum2);
        if constexpr (R > 3) sum3 = hn::MulAdd(value, hn::LoadU(d, x + 3 * n), sum3);
    }
    hn::StoreU(sum0, d, sum);
    if constexpr (R > 1) hn::StoreU(sum1, d, sum + n);
    if constexpr (R > 2) hn::StoreU(sum2, d, sum + 2 * n);
    if constexpr (R > 3) hn::StoreU(sum3, d, sum + 3 * n);
}

/// y of rows [first, first + rows) becomes α times `sums` + βy.
template <class D, class T, class P>
HWY_INLINE void store_rows(const Pass<T, P>& p, index_t first, index_t rows,
                           const T* HWY_RESTRICT sums) {
    const D d;
    constexpr std::size_t n = hn::MaxLanes(D());
    const auto row = [&](index_t i) { return sums + static_cast<std::size_t>(i) * p.width; };
    if (p.y.by_rows()) {
        for (index_t i = 0; i < rows; ++i) {
            T* const to = p.y.at(first + i);
            std::size_t j = 0;
            for (; j + n <= p.count; j += n) p.out.store(d, hn::LoadU(d, row(i) + j), to + j);
            for (; j < p.count; ++j) p.out.store(row(i)[j], to + j);
        }
    } else {
        for (std::size_t j = 0; j < p.count; ++j) {
            T* const to = p.y.from(j).at(first);
            for (index_t i = 0; i < rows; ++i) p.out.store(row(i)[j], to + i);
        }
    }
}

/// Steps [from, to) of the merge path (spmv/csr/cpu.cpp). Returns the row that it did not finish;
/// what it found of that is in `carry`.
template <class D, int R, bool Whole, class T, class P>
HWY_NOINLINE index_t multiply_share(const Pass<T, P>& p, std::int64_t from, std::int64_t to,
                                    T* HWY_RESTRICT carry) {
    constexpr index_t kRows = 32;  // their sums stay in the first cache
    HWY_ALIGN T sums[kRows * R * hn::MaxLanes(D())];
    const P* const ptr = p.a.row_ptr;
    const auto row_at = [&](std::int64_t at) {
        return partition_point(index_t{0}, p.a.rows, [&](index_t r) {
            return static_cast<std::int64_t>(ptr[r + 1]) + r < at;
        });
    };
    index_t i = row_at(from);
    const index_t end = row_at(to);
    P k = static_cast<P>(from - i);
    while (i < end) {
        const index_t rows = std::min(kRows, end - i);
        for (index_t r = 0; r < rows; ++r) {
            const P next = ptr[i + r + 1];
            sum_entries<D, R, Whole>(p, k, next, sums + static_cast<std::size_t>(r) * p.width);
            k = next;
        }
        store_rows<D>(p, i, rows, sums);
        i += rows;
    }
    sum_entries<D, R, Whole>(p, k, std::max(k, static_cast<P>(to - end)), carry);
    return end;
}

template <class D, int R, bool Whole, class T, class P>
void multiply_pass(const Pass<T, P>& p, T* carried, int threads) {
    index_t row[kMostShares];
    const int shares = std::min(threads, kMostShares);
    const std::int64_t work = std::int64_t{p.a.rows} + static_cast<std::int64_t>(p.a.nnz());
    const auto carry_of = [&](int share) {
        return carried + static_cast<std::size_t>(share) * p.width;
    };
    parallel_parts(shares, [&](int part, int parts) {
        for (int share = part; share < shares; share += parts)
            row[share] =
                multiply_share<D, R, Whole>(p, part_begin(work, shares, share),
                                            part_begin(work, shares, share + 1), carry_of(share));
    });
    for (int share = 0; share + 1 < shares; ++share)
        if (row[share] < p.a.rows)
            for (std::size_t j = 0; j < p.count; ++j)
                *p.y.from(j).at(row[share]) += p.out.alpha * carry_of(share)[j];
}

/// Rows [first, end) of the first `count` vectors to `packed`, `width` entries each, which is 0
/// behind them.
template <class T>
HWY_NOINLINE void pack(Vectors<const T> x, std::size_t count, std::int64_t first, std::int64_t end,
                       std::size_t width, T* HWY_RESTRICT packed) {
    for (std::int64_t i = first; i < end; ++i) {
        T* const to = packed + static_cast<std::size_t>(i - first) * width;
        const T* const from = x.at(i);
        std::size_t j = 0;
        if (count == kLine<T>)  // no loop
            for (; j < kLine<T>; ++j) to[j] = from[static_cast<std::ptrdiff_t>(j) * x.vector_step];
        for (; j < count; ++j) to[j] = from[static_cast<std::ptrdiff_t>(j) * x.vector_step];
        for (; j < width; ++j) to[j] = T{0};
    }
}

/// Of vectors that lie row by row: where what is read of a row would end behind the last one.
template <class T>
index_t rows_before_end(Vectors<const T> x, index_t rows, std::size_t count, std::size_t width) {
    const std::size_t beyond = width - count, step = static_cast<std::size_t>(x.row_step);
    const std::size_t near = std::min((beyond + step - 1) / step, static_cast<std::size_t>(rows));
    return rows - static_cast<index_t>(near);
}

/// One thread where others would take longer to start than what they would save.
template <class T, class P>
int useful_threads(const ManyCall<T, P>& c) {
    constexpr std::int64_t kLeast = 30'000, kMostCounted = 64;
    const std::int64_t steps = std::int64_t{c.a.rows} + static_cast<std::int64_t>(c.a.nnz());
    const auto count = static_cast<std::int64_t>(std::min<std::size_t>(c.count, kMostCounted));
    return steps * count < kLeast ? 1 : c.threads;
}

/// The pass for the first `count` of the vectors of `c`.
template <class D, int R, class T, class P>
void pass(const ManyCall<T, P>& c, std::size_t count, int threads, T* carried) {
    constexpr std::size_t width = R * hn::MaxLanes(D());
    Pass<T, P> p{c.a,   c.x.data,          c.x.row_step, c.y,    count,
                 width, {c.alpha, c.beta}, c.a.cols,     nullptr};
    if (!c.x.by_rows()) {
        T* const packed = at_least(c.scratch.packed, static_cast<std::size_t>(c.a.cols) * width);
        parallel_parts(threads, [&](int part, int parts) {
            const std::int64_t first = part_begin(c.a.cols, parts, part);
            pack(c.x, count, first, part_begin(c.a.cols, parts, part + 1), width,
                 packed + static_cast<std::size_t>(first) * width);
        });
        p.x = packed;
        p.step = static_cast<std::ptrdiff_t>(width);
    } else if (count < width) {
        p.end = rows_before_end(c.x, c.a.cols, count, width);
        T* const rest = at_least(c.scratch.packed, width * width);
        pack(c.x, count, p.end, c.a.cols, width, rest);
        p.rest = rest;
        return multiply_pass<D, R, false>(p, carried, threads);
    }
    multiply_pass<D, R, true>(p, carried, threads);
}

template <class T, class P>
void many(ManyCall<T, P> c) {
    using All = hn::ScalableTag<T>;
    // Few vectors keep to a few lanes: less of x is in the caches then.
    using Half = hn::CappedTag<T, 32 / sizeof(T)>;
    using Quarter = hn::CappedTag<T, 16 / sizeof(T)>;
    constexpr std::size_t n = hn::MaxLanes(All()), most = kRegisters * n;
    const int threads = useful_threads(c);
    T* const carried = at_least(c.scratch.carried, static_cast<std::size_t>(threads) * most);
    while (c.count > 0) {
        const std::size_t count = std::min({c.count, most, c.x.by_rows() ? most : kLine<T>});
        if (count <= hn::MaxLanes(Quarter()))
            pass<Quarter, 1>(c, count, threads, carried);
        else if (count <= hn::MaxLanes(Half()))
            pass<Half, 1>(c, count, threads, carried);
        else if (count <= n)
            pass<All, 1>(c, count, threads, carried);
        else if (count <= 2 * n)
            pass<All, 2>(c, count, threads, carried);
        else if (count <= 3 * n)
            pass<All, 3>(c, count, threads, carried);
        else
            pass<All, 4>(c, count, threads, carried);
        c.x = c.x.from(count);
        c.y = c.y.from(count);
        c.count -= count;
    }
}

void many_i32(const ManyCall<SPTUNE_VALUE, std::int32_t>& call) {
    many(call);
}
void many_i64(const ManyCall<SPTUNE_VALUE, std::int64_t>& call) {
    many(call);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sptune
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sptune {
HWY_EXPORT(many_i32);
HWY_EXPORT(many_i64);

template <class T>
std::size_t most_scratch_bytes(index_t cols, bool by_rows, int threads) {
    const std::size_t packed =
        by_rows ? kMostOfPass<T> * kMostOfPass<T> : static_cast<std::size_t>(cols) * kLine<T>;
    return sizeof(T) * (packed + static_cast<std::size_t>(threads) * kMostOfPass<T>);
}

template <class T, class P>
void multiply_many(CsrView<T, P> a, T alpha, Vectors<const T> x, T beta, Vectors<T> y,
                   std::size_t count, ManyScratch<T>& scratch, int threads) {
    if (a.rows == 0) return;  // nor need there be an x then
    const ManyCall<T, P> call{a, alpha, x, beta, y, count, scratch, threads};
    if constexpr (sizeof(P) == 4)
        HWY_DYNAMIC_DISPATCH(many_i32)(call);
    else
        HWY_DYNAMIC_DISPATCH(many_i64)(call);
}

#define SPTUNE_INSTANTIATE(P)                                                                     \
    template void multiply_many(CsrView<SPTUNE_VALUE, P>, SPTUNE_VALUE,                           \
                                Vectors<const SPTUNE_VALUE>, SPTUNE_VALUE, Vectors<SPTUNE_VALUE>, \
                                std::size_t, ManyScratch<SPTUNE_VALUE>&, int);
template std::size_t most_scratch_bytes<SPTUNE_VALUE>(index_t, bool, int);
SPTUNE_INSTANTIATE(std::int32_t)
SPTUNE_INSTANTIATE(std::int64_t)
}  // namespace sptune
#endif
