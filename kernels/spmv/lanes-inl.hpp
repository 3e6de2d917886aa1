// The inner loop that ELL, pJDS, HYB and SELL share: a block of neighbouring rows, one per SIMD
// lane, stored so that entry j of all rows of the block lies together.

#if defined(SPTUNE_KERNELS_SPMV_LANES_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef SPTUNE_KERNELS_SPMV_LANES_INL_HPP
#undef SPTUNE_KERNELS_SPMV_LANES_INL_HPP
#else
#define SPTUNE_KERNELS_SPMV_LANES_INL_HPP
#endif

#include "kernels/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace sptune {
namespace HWY_NAMESPACE {

/// How C rows are cut into vectors of `width` lanes, `groups` of them in flight per pass: enough
/// to hide the latency of the multiply-add, few enough to stay in registers.
template <class T, int C>
struct LaneShape {
    static constexpr int width = static_cast<int>(lanes_dividing<T>(C));
    static constexpr int vectors = C / width;
    static constexpr int groups_from(int limit) {
        while (vectors % limit) --limit;
        return limit;
    }
    static constexpr int groups = groups_from(vectors < 8 ? vectors : 8);
};

/// Values read from where they are stored.
template <class T>
struct StoredValues {
    static constexpr bool kRagged = false;
    const T* HWY_RESTRICT values;

    HWY_INLINE std::ptrdiff_t full(std::ptrdiff_t length) const { return length; }
    template <class D>
    HWY_INLINE hn::Vec<D> load(D d, std::ptrdiff_t at) const {
        return hn::LoadU(d, values + at);
    }
};

/// One value that all entries have. Of the first `columns` all rows have an entry; behind them row
/// r has one while j < lengths[r], and 0 stands for what is missing.
template <class T>
struct OneValue {
    static constexpr bool kRagged = true;
    T value;
    std::ptrdiff_t columns;
    const T* HWY_RESTRICT lengths;

    HWY_INLINE std::ptrdiff_t full(std::ptrdiff_t) const { return columns; }
    template <class D>
    HWY_INLINE hn::Vec<D> load(D d, std::ptrdiff_t) const {
        return hn::Set(d, value);
    }
    /// Of the rows from `row` on; all lanes of `j` are j.
    template <class D>
    HWY_INLINE hn::Vec<D> load_ragged(D d, hn::Vec<D> j, std::ptrdiff_t row) const {
        return hn::IfThenElseZero(hn::Lt(j, hn::LoadU(d, lengths + row)), hn::Set(d, value));
    }
};

/// sum[row] = Σ_j v[start(j) + row] · x[c[start(j) + row]] for C rows and `length` entries each;
/// out(row, tag, vector) gets the sums of rows [row, row + lanes). `v`: StoredValues or OneValue.
template <int C, class Values, class T, class I, class Start, class Out>
HWY_INLINE void multiply_lanes(Values v, const I* HWY_RESTRICT c, Start start,
                               std::ptrdiff_t length, const T* HWY_RESTRICT x, Out out) {
    using Shape = LaneShape<T, C>;
    constexpr int width = Shape::width, groups = Shape::groups;
    const hn::CappedTag<T, width> d;
    using V = hn::Vec<decltype(d)>;
    const std::ptrdiff_t full = v.full(length);
    for (int first = 0; first < C; first += width * groups) {
        V sum[groups];
        std::ptrdiff_t j = 0;
        if constexpr (groups == 1) {
            // One vector alone waits for its own multiply-add: two chains.
            V even = hn::Zero(d), odd = hn::Zero(d);
            for (; j + 2 <= full; j += 2) {
                const std::ptrdiff_t a = start(j) + first, b = start(j + 1) + first;
                even = hn::MulAdd(v.load(d, a), assemble(d, x, c + a), even);
                odd = hn::MulAdd(v.load(d, b), assemble(d, x, c + b), odd);
            }
            if (j < full) {
                const std::ptrdiff_t a = start(j) + first;
                even = hn::MulAdd(v.load(d, a), assemble(d, x, c + a), even);
            }
            sum[0] = hn::Add(even, odd);
        } else {
#pragma GCC unroll 8
            for (int g = 0; g < groups; ++g) sum[g] = hn::Zero(d);
            for (; j < full; ++j) {
                const std::ptrdiff_t at = start(j) + first;
#pragma GCC unroll 8
                for (int g = 0; g < groups; ++g)
                    sum[g] = hn::MulAdd(v.load(d, at + g * width),
                                        assemble(d, x, c + at + g * width), sum[g]);
            }
        }
        if constexpr (Values::kRagged) {
            V column = hn::Set(d, static_cast<T>(full));
            for (j = full; j < length; ++j) {
                const std::ptrdiff_t at = start(j) + first;
#pragma GCC unroll 8
                for (int g = 0; g < groups; ++g)
                    sum[g] = hn::MulAdd(v.load_ragged(d, column, first + g * width),
                                        assemble(d, x, c + at + g * width), sum[g]);
                column = hn::Add(column, hn::Set(d, T{1}));
            }
        }
#pragma GCC unroll 8
        for (int g = 0; g < groups; ++g) out(first + g * width, d, sum[g]);
    }
}

/// Stores `sum` to rows rows[0..lanes) of y, `count` of them at most.
template <class T, class D>
HWY_INLINE void store_scattered(D d, hn::Vec<D> sum, const index_t* HWY_RESTRICT rows,
                                std::ptrdiff_t count, T* HWY_RESTRICT y, const Epilogue<T>& out) {
    constexpr std::ptrdiff_t lanes = hn::MaxLanes(D());
    HWY_ALIGN T lane[lanes];
    hn::Store(sum, d, lane);
    for (std::ptrdiff_t i = 0; i < (count < lanes ? count : lanes); ++i)
        out.store(lane[i], y + rows[i]);
}

/// Stores `sum` to y[0..lanes), `count` of them at most.
template <class T, class D>
HWY_INLINE void store_rows(D d, hn::Vec<D> sum, std::ptrdiff_t count, T* HWY_RESTRICT y,
                           const Epilogue<T>& out) {
    constexpr std::ptrdiff_t lanes = hn::MaxLanes(D());
    if (count >= lanes) {
        out.store(d, sum, y);
        return;
    }
    HWY_ALIGN T lane[lanes];
    hn::Store(sum, d, lane);
    for (std::ptrdiff_t i = 0; i < count; ++i) out.store(lane[i], y + i);
}

}  // namespace HWY_NAMESPACE
}  // namespace sptune
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
