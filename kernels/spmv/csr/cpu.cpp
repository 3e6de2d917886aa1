// CSR on the CPU. The baseline (static, scalar, one accumulator) is what a textbook has.
// Merge: Merrill and Garland, "Merge-based parallel sparse matrix-vector multiplication", SC 2016.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/spmv/csr/cpu.cpp"
#include "hwy/foreach_target.h"
// After foreach_target.
#include "kernels/parallel.hpp"
#include "kernels/spmv/add_workers.hpp"
#include "kernels/spmv/balance.hpp"
#include "kernels/spmv/csr/format.hpp"
#include "kernels/spmv/csr/grid.hpp"
#include "kernels/spmv/dot-inl.hpp"
#include "matrix/partition_point.hpp"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace sptune {
namespace HWY_NAMESPACE {
namespace {

/// A CSR with 16- or 32-bit columns and the inner loop chosen at compile time.
template <class T, class P, class Inner>
struct Rows {
    static constexpr bool kCompressed = Inner::template get<index_bits>() == 16;
    static constexpr int kUnroll = Inner::template get<csr::unroll>();

    CsrView<T, P> a;
    const std::uint16_t* offset;
    const index_t* base;

    explicit Rows(const Storage& storage) {
        const auto& s = static_cast<const CsrStorage<T, P>&>(storage);
        a = s.a;
        offset = s.offset.data();
        base = s.base.data();
    }

    /// Σ values · x over entries [begin, end) of row i.
    HWY_INLINE T dot(index_t i, P begin, P end, const T* x) const {
        if constexpr (kCompressed)
            return run(a.values + begin, offset + begin, end - begin, x + base[i]);
        else
            return run(a.values + begin, a.col_idx + begin, end - begin, x);
    }
    /// Compiled once for all that call it, each for many rows at a time.
    HWY_NOINLINE void range(index_t first, index_t last, const T* x, T* y, Epilogue<T> out) const {
        if constexpr (kPlain)
            return plain_range(first, last, x, y, out);
        else
            for (index_t i = first; i < last; ++i)
                out.store(dot(i, a.row_ptr[i], a.row_ptr[i + 1], x), y + i);
    }

  private:
    static constexpr bool kPlain =
        !kCompressed && kUnroll == 1 && Inner::template get<csr::lanes>() == 1;

    /// Rows of few entries, each of which a nanosecond counts for: no pointers to where a row
    /// begins, no factors that are 1 and 0.
    HWY_INLINE void plain_range(index_t first, index_t last, const T* HWY_RESTRICT x,
                                T* HWY_RESTRICT y, Epilogue<T> out) const {
        const auto for_rows = [&](const auto& store) HWY_ATTR {
            for (index_t i = first; i < last; ++i) {
                T sum{};
                for (P k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
                    sum += a.values[k] * x[a.col_idx[k]];
                store(sum, y + i);
            }
        };
        if (out.alpha == T{1} && out.beta == T{0})
            for_rows([](T sum, T* to) { *to = sum; });
        else
            for_rows([out](T sum, T* to) { out.store(sum, to); });
    }
    template <class I>
    HWY_INLINE T run(const T* v, const I* c, P n, const T* x) const {
        if constexpr (Inner::template get<csr::lanes>() == kAll)
            return dot_vector<kUnroll>(v, c, static_cast<std::ptrdiff_t>(n), x);
        else
            return dot_scalar<kUnroll>(v, c, static_cast<std::ptrdiff_t>(n), x);
    }
};

/// Equal numbers of rows for each thread.
template <class T, class P, class Inner>
void csr_static(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const Rows<T, P, Inner> rows(storage);
    parallel_parts(launch.threads, [&](int part, int parts) {
        rows.range(static_cast<index_t>(part_begin(rows.a.rows, parts, part)),
                   static_cast<index_t>(part_begin(rows.a.rows, parts, part + 1)), x, y,
                   Epilogue<T>{alpha, beta});
    });
}

/// Chunks of rows claimed as threads get free.
template <class T, class P, class Inner, int Chunk>
void csr_dynamic(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const Rows<T, P, Inner> rows(storage);
    const std::int64_t chunks = (std::int64_t{rows.a.rows} + Chunk - 1) / Chunk;
#pragma omp parallel for schedule(dynamic) num_threads(launch.threads)
    for (std::int64_t c = 0; c < chunks; ++c)
        rows.range(static_cast<index_t>(c * Chunk),
                   static_cast<index_t>(std::min<std::int64_t>((c + 1) * Chunk, rows.a.rows)), x, y,
                   Epilogue<T>{alpha, beta});
}

/// Equal shares of rows + nnz for each thread, whole rows only.
template <class T, class P, class Inner>
void csr_balanced(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const Rows<T, P, Inner> rows(storage);
    parallel_parts(launch.threads, [&](int part, int parts) {
        rows.range(balanced_row(rows.a.row_ptr, rows.a.rows, 1, parts, part),
                   balanced_row(rows.a.row_ptr, rows.a.rows, 1, parts, part + 1), x, y,
                   Epilogue<T>{alpha, beta});
    });
}

/// What a share found of the row that it did not finish.
template <class T>
struct Carry {
    index_t row;
    T sum;
};

/// Steps [from, to) of the merge path, on which a row's end is a step like an entry.
template <class T, class P, class Inner>
HWY_NOINLINE Carry<T> merge_share(const Rows<T, P, Inner>& rows, std::int64_t from, std::int64_t to,
                                  const T* x, T* y, Epilogue<T> out) {
    const CsrView<T, P>& a = rows.a;
    // The path crosses the diagonal `at` in row r, entry at - r: the first r for which row r is not
    // finished by then.
    const auto row_at = [&](std::int64_t at) {
        return partition_point(index_t{0}, a.rows, [&](index_t r) {
            return static_cast<std::int64_t>(a.row_ptr[r + 1]) + r < at;
        });
    };
    index_t i = row_at(from);
    const index_t last = row_at(to);
    P k = static_cast<P>(from - i);
    for (; i < last; ++i) {
        out.store(rows.dot(i, k, a.row_ptr[i + 1], x), y + i);
        k = a.row_ptr[i + 1];
    }
    const P end = static_cast<P>(to - last);
    return {last, last < a.rows && k < end ? rows.dot(last, k, end, x) : T{0}};
}

/// Equal shares of rows + nnz for each thread; a row may be cut anywhere. The thread that reaches a
/// row's end writes it, what earlier threads found of it is added afterwards in thread order.
template <class T, class P, class Inner>
void csr_merge(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const Rows<T, P, Inner> rows(storage);
    Carry<T> carry[kMostShares];
    // However many threads OpenMP delivers, rows are cut at the same places.
    const int shares = std::min(launch.threads, kMostShares);
    const std::int64_t work = std::int64_t{rows.a.rows} + static_cast<std::int64_t>(rows.a.nnz());
    parallel_parts(shares, [&](int part, int parts) {
        for (int share = part; share < shares; share += parts)
            carry[share] =
                merge_share(rows, part_begin(work, shares, share),
                            part_begin(work, shares, share + 1), x, y, Epilogue<T>{alpha, beta});
    });
    for (int share = 0; share + 1 < shares; ++share)
        if (carry[share].row < rows.a.rows) y[carry[share].row] += alpha * carry[share].sum;
}

template <class T, class P>
void add_inner_grid(KernelList<T>& list) {
    for_each_point(csr::Inner{}, [&]<class Inner>(Inner inner) {
        if constexpr (csr::worthwhile(Inner::template get<csr::lanes>(),
                                      Inner::template get<csr::unroll>())) {
            const Params all = inner.params();
            const Params layout(all.begin(), all.begin() + 1), rest(all.begin() + 1, all.end());
            const auto add = [&](const char* algorithm, const Params& more,
                                 ApplyFunction<T> apply) {
                Params kernel_params = rest;
                kernel_params.insert(kernel_params.end(), more.begin(), more.end());
                add_kernel<CsrFormat, T, P>(list, algorithm, layout, kernel_params, apply);
            };
            for_each_point(Workers{}, [&]<class Point>(Point p) {
                add("static", p.params(), for_workers<Point, &csr_static<T, P, Inner>, T>());
            });
            for_each_point(csr::DynamicGrid{}, [&]<class Point>(Point p) {
                constexpr int chunk = Point::template get<csr::chunk>();
                add("dynamic", p.params(), &csr_dynamic<T, P, Inner, chunk>);
            });
            add("balanced", {}, &csr_balanced<T, P, Inner>);
            add("merge", {}, &csr_merge<T, P, Inner>);
        }
    });
}

void csr_kernels(KernelList<SPTUNE_VALUE>& list) {
    add_inner_grid<SPTUNE_VALUE, std::int32_t>(list);
    add_inner_grid<SPTUNE_VALUE, std::int64_t>(list);
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace sptune
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace sptune {
HWY_EXPORT(csr_kernels);
void add_csr_kernels(KernelList<SPTUNE_VALUE>& list) {
    HWY_DYNAMIC_DISPATCH(csr_kernels)(list);
}
}  // namespace sptune
#endif
