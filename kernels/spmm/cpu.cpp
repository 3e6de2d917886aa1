#include "kernels/spmm/cpu.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/spmm/cpu.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "kernels/parallel.hpp"
#include "kernels/simd-inl.hpp"
#include "kernels/spmm/pass-inl.hpp"

#include <algorithm>
#include <cstdint>

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

/// Of vectors that lie one by one a pass takes a cache line of each row at the most.
template <class T>
inline constexpr std::size_t kLine = 64 / sizeof(T);
/// Vectors of a pass at most, on any processor.
template <class T>
inline constexpr std::size_t kMostOfPass = kManyRegisters* kLine<T>;

/// Of registers, in a pass over more vectors than registers take at once.
inline constexpr std::size_t kMostBlocks = 8;

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
    bool tight = count == width;
    if (!c.x.by_rows()) {
        T* const packed = at_least(c.scratch.packed, static_cast<std::size_t>(c.a.cols) * width);
        parallel_parts(threads, [&](int part, int parts) {
            const std::int64_t first = part_begin(c.a.cols, parts, part);
            pack(c.x, count, first, part_begin(c.a.cols, parts, part + 1), width,
                 packed + static_cast<std::size_t>(first) * width);
        });
        p.x = packed;
        p.step = static_cast<std::ptrdiff_t>(width);
        tight = tight || !c.y.by_rows();
    } else if (!tight || c.x.row_step != static_cast<std::ptrdiff_t>(width)) {
        p.end = rows_before_end(c.x, c.a.cols, count, width);
        T* const rest = at_least(c.scratch.packed, width * width);
        pack(c.x, count, p.end, c.a.cols, width, rest);
        p.rest = rest;
        tight = false;
    }
    if (tight)
        multiply_pass<D, R, Fit::tight>(p, carried, threads);
    else
        multiply_pass<D, R, Fit::partial>(p, carried, threads);
}

/// More vectors than registers take at once, as many as are a multiple of what R of them take: for
/// each row of A one block after the other, so that a row of x is read as a whole. Of how many.
template <class D, int R, class T, class P>
std::size_t pass_of_blocks(const ManyCall<T, P>& c, int threads) {
    constexpr std::size_t width = R * hn::MaxLanes(D());
    const std::size_t blocks = std::min(c.count / width, kMostBlocks), count = blocks * width;
    T* const carried = at_least(c.scratch.carried, static_cast<std::size_t>(threads) * count);
    const Pass<T, P> p{c.a,   c.x.data,          c.x.row_step, c.y,     count,
                       width, {c.alpha, c.beta}, c.a.cols,     nullptr, blocks};
    multiply_pass<D, R, Fit::blocks>(p, carried, threads);
    return count;
}

template <class T, class P>
void many(ManyCall<T, P> c) {
    using All = hn::ScalableTag<T>;
    // Few vectors keep to a few lanes: less of x is in the caches then.
    using Half = hn::CappedTag<T, 32 / sizeof(T)>;
    using Quarter = hn::CappedTag<T, 16 / sizeof(T)>;
    constexpr std::size_t n = hn::MaxLanes(All()), most = kManyRegisters * n;
    const int threads = useful_threads(c);
    const auto go_on = [&](std::size_t count) {
        c.x = c.x.from(count);
        c.y = c.y.from(count);
        c.count -= count;
    };
    if (c.x.by_rows() && c.y.by_rows())
        while (c.count >= 2 * most || (c.count > most && c.count % (3 * n) == 0))
            go_on(c.count % most != 0 && c.count % (3 * n) == 0
                      ? pass_of_blocks<All, 3>(c, threads)
                      : pass_of_blocks<All, 4>(c, threads));
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
        go_on(count);
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
    return sizeof(T) * (packed + static_cast<std::size_t>(threads) * kMostOfPass<T> *
                                     (by_rows ? kMostBlocks : 1));
}

template <class T, class P>
void multiply_many(CsrView<T, P> a, T alpha, Vectors<const T> x, T beta, Vectors<T> y,
                   std::size_t count, ManyScratch<T>& scratch, int threads) {
    if (a.rows == 0) return;  // nor need there be an x then
    simd_target();            // $SPTUNE_SIMD may ask for less than the best
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
