// BSR on the CPU: the rows of a block in SIMD lanes; for one row, its columns.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/spmv/bsr/cpu.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "kernels/parallel.hpp"
#include "kernels/spmv/add_workers.hpp"
#include "kernels/spmv/balance.hpp"
#include "kernels/spmv/bsr/format.hpp"
#include "kernels/spmv/lanes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace sptune {
namespace HWY_NAMESPACE {
namespace {

/// sum of blocks [begin, end) times x for the R rows of a block row, handed to out(row, tag, sum).
template <int R, int C, class T, class Out>
HWY_INLINE void multiply_blocks(const BsrStorage<T>& s, std::int64_t begin, std::int64_t end,
                                const T* HWY_RESTRICT x, Out out) {
    constexpr int width = static_cast<int>(lanes_dividing<T>(R)), vectors = R / width;
    const hn::CappedTag<T, width> d;
    hn::Vec<decltype(d)> sum[vectors];
#pragma GCC unroll 8
    for (int g = 0; g < vectors; ++g) sum[g] = hn::Zero(d);
    const T* HWY_RESTRICT v = s.values.data() + begin * R * C;
    for (std::int64_t k = begin; k < end; ++k, v += R * C) {
        const T* HWY_RESTRICT xb = x + s.column[k];
#pragma GCC unroll 8
        for (int j = 0; j < C; ++j) {
            const auto xj = hn::Set(d, xb[j]);
#pragma GCC unroll 8
            for (int g = 0; g < vectors; ++g)
                sum[g] = hn::MulAdd(hn::LoadU(d, v + j * R + g * width), xj, sum[g]);
        }
    }
#pragma GCC unroll 8
    for (int g = 0; g < vectors; ++g) out(g * width, d, sum[g]);
}

/// One row of blocks 1×C: vectors along the columns, two blocks in flight.
template <int C, class T>
HWY_INLINE T multiply_strips(const BsrStorage<T>& s, std::int64_t begin, std::int64_t end,
                             const T* HWY_RESTRICT x) {
    constexpr int width = static_cast<int>(lanes_dividing<T>(C)), vectors = C / width;
    const hn::CappedTag<T, width> d;
    auto even = hn::Zero(d), odd = hn::Zero(d);
    const T* HWY_RESTRICT v = s.values.data() + begin * C;
    const auto add = [&](std::int64_t k, const T* at, auto& sum) {
#pragma GCC unroll 8
        for (int g = 0; g < vectors; ++g)
            sum = hn::MulAdd(hn::LoadU(d, at + g * width),
                             hn::LoadU(d, x + s.column[k] + g * width), sum);
    };
    std::int64_t k = begin;
    for (; k + 2 <= end; k += 2, v += 2 * C) {
        add(k, v, even);
        add(k + 1, v + C, odd);
    }
    if (k < end) add(k, v, even);
    return hn::GetLane(hn::SumOfLanes(d, hn::Add(even, odd)));
}

template <int R, int C, class T>
HWY_NOINLINE void block_rows(const BsrStorage<T>& s, index_t first, index_t last, const T* x, T* y,
                             Epilogue<T> out) {
    const std::int64_t* ptr = s.block_ptr.data();
    for (index_t b = first; b < last; ++b) {
        if constexpr (R == 1) {
            out.store(multiply_strips<C>(s, ptr[b], ptr[b + 1], x), y + b);
        } else {
            const std::int64_t row = std::int64_t{b} * R;
            multiply_blocks<R, C>(s, ptr[b], ptr[b + 1], x, [&](int in_block, auto d, auto sum) {
                store_rows(d, sum, s.rows - row - in_block, y + row + in_block, out);
            });
        }
    }
}

template <class T, int R, int C>
void bsr_blocks(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const BsrStorage<T>&>(storage);
    const index_t rows = s.block_rows();
    parallel_parts(launch.threads, [&](int part, int parts) {
        block_rows<R, C>(s, balanced_row(s.block_ptr.data(), rows, 1, parts, part),
                         balanced_row(s.block_ptr.data(), rows, 1, parts, part + 1), x, y,
                         Epilogue<T>{alpha, beta});
    });
}

template <class T, int R, int C>
void add_block_size(KernelList<T>& list) {
    add_for_workers<BsrFormat, &bsr_blocks<T, R, C>>(list, "blocks", {{"r", R}, {"c", C}}, {});
}

/// r×c pairs, as rows of two.
template <class T, int... RC>
struct BlockSizes;
template <class T, int R, int C, int... Rest>
struct BlockSizes<T, R, C, Rest...> {
    static void add(KernelList<T>& list) {
        add_block_size<T, R, C>(list);
        if constexpr (sizeof...(Rest) > 0) BlockSizes<T, Rest...>::add(list);
    }
};

void bsr_kernels(KernelList<SPTUNE_VALUE>& list) {
    BlockSizes<SPTUNE_VALUE,  //
               2, 2, 3, 3, 4, 4, 6, 6, 8, 8, 1, 2, 1, 3, 1, 4, 1, 8, 2, 1, 3, 1, 4, 1, 8, 1, 2, 4,
               4, 2, 2, 3, 3, 2>::add(list);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sptune
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sptune {
HWY_EXPORT(bsr_kernels);
void add_bsr_kernels(KernelList<SPTUNE_VALUE>& list) {
    HWY_DYNAMIC_DISPATCH(bsr_kernels)(list);
}
}  // namespace sptune
#endif
