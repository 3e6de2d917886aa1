#include "matrix/convert.hpp"

#include "matrix/csr_builder.hpp"
#include "matrix/error.hpp"
#include "matrix/memory.hpp"
#include "matrix/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace sptune {

namespace {

template <class P>
void require_index_range(std::uint64_t nnz) {
    if (nnz > static_cast<std::uint64_t>(std::numeric_limits<P>::max()))
        throw Error(fmt::format("{} nonzeros are too many for {} row pointers; expected at most {}",
                                nnz, to_string(index_type_of<P>()), std::numeric_limits<P>::max()));
}

}  // namespace

template <class T, class P>
Csr<T, P> coo_to_csr(const Coo<T>& m, int threads) {
    require_index_range<P>(m.nnz());
    for (std::size_t i = 0; i < m.nnz(); ++i)
        if (m.row_idx[i] < 0 || m.row_idx[i] >= m.rows || m.col_idx[i] < 0 ||
            m.col_idx[i] >= m.cols)
            throw Error(fmt::format("entry {} is at ({}, {}); expected a place in {} x {}", i,
                                    m.row_idx[i], m.col_idx[i], m.rows, m.cols));
    const Triplets<T> all{m.nnz(), m.row_idx.data(), m.col_idx.data(), m.values.data()};
    CsrBuilder<T, P> builder(m.rows, m.cols, Mirror::none, thread_count(threads, m.nnz()));
    builder.count(std::span(&all, 1));
    builder.start_placing();
    builder.place(std::span(&all, 1));
    return builder.finish();
}

// As in CsrBuilder, each thread owns a range of columns and walks all entries.
template <class T, class P>
Csc<T, P> csr_to_csc(CsrView<T, P> m, int threads) {
    const auto nnz = static_cast<std::size_t>(m.nnz());
    const std::size_t pointers = static_cast<std::size_t>(m.cols) + 1;
    require_memory("the CSC form", pointers * sizeof(P) + nnz * (sizeof(index_t) + sizeof(T)));
    Csc<T, P> csc{m.rows, m.cols, Buffer<P>(pointers, P{0}), Buffer<index_t>(nnz), Buffer<T>(nnz)};
    const int parts = thread_count(threads, nnz);
    std::vector<index_t> owners(static_cast<std::size_t>(parts) + 1);
    for (int t = 0; t <= parts; ++t)
        owners[t] = static_cast<index_t>(std::int64_t{m.cols} * t / parts);

    // While placing, next[c] is where the next entry of column c goes.
    P* next = csc.col_ptr.data() + 1;
    const auto walk = [&](auto visit) {
        parallel_for(parts, static_cast<std::size_t>(parts), [&](int, std::size_t t) {
            const index_t first = owners[t], last = owners[t + 1];
            for (index_t r = 0; r < m.rows; ++r)
                for (P i = m.row_ptr[r]; i < m.row_ptr[std::int64_t{r} + 1]; ++i)
                    if (m.col_idx[i] >= first && m.col_idx[i] < last) visit(r, m.col_idx[i], i);
        });
    };
    walk([&](index_t, index_t c, P) { ++next[c]; });
    P total = 0;
    for (index_t c = 0; c < m.cols; ++c) total += std::exchange(next[c], total);
    for (int t = 1; t < parts; ++t)
        owners[t] = static_cast<index_t>(
            std::lower_bound(next, next + m.cols, static_cast<P>(nnz / parts * t)) - next);
    walk([&](index_t r, index_t c, P i) {
        const P at = next[c]++;
        csc.row_idx[at] = r;
        csc.values[at] = m.values[i];
    });
    return csc;
}

template <class To, class PTo, class T, class P>
Csr<To, PTo> cast_csr(CsrView<T, P> m) {
    const auto nnz = static_cast<std::size_t>(m.nnz());
    require_index_range<PTo>(nnz);
    const std::size_t pointers = static_cast<std::size_t>(m.rows) + 1;
    require_memory("the converted matrix",
                   pointers * sizeof(PTo) + nnz * (sizeof(index_t) + sizeof(To)));
    Csr<To, PTo> result{m.rows, m.cols, Buffer<PTo>(pointers), Buffer<index_t>(nnz),
                        Buffer<To>(nnz)};
    std::size_t overflow = nnz;
#pragma omp parallel for num_threads(team_size(0, nnz)) reduction(min : overflow)
    for (std::size_t i = 0; i < nnz; ++i) {
        result.col_idx[i] = m.col_idx[i];
        result.values[i] = static_cast<To>(m.values[i]);
        if (!std::isfinite(result.values[i]) && std::isfinite(m.values[i]))
            overflow = std::min(overflow, i);
    }
    if (overflow < nnz)
        throw Error(fmt::format("the value {} does not fit {}; use f64", m.values[overflow],
                                to_string(value_type_of<To>())));
    for (std::size_t r = 0; r < pointers; ++r)
        result.row_ptr[r] = m.row_ptr ? static_cast<PTo>(m.row_ptr[r]) : PTo{0};
    return result;
}

#define SPTUNE_CASTS(T, P)                                                            \
    template Csr<float, std::int32_t> cast_csr<float, std::int32_t>(CsrView<T, P>);   \
    template Csr<float, std::int64_t> cast_csr<float, std::int64_t>(CsrView<T, P>);   \
    template Csr<double, std::int32_t> cast_csr<double, std::int32_t>(CsrView<T, P>); \
    template Csr<double, std::int64_t> cast_csr<double, std::int64_t>(CsrView<T, P>);
#define SPTUNE_CONVERSIONS(T, P)                       \
    template Csr<T, P> coo_to_csr(const Coo<T>&, int); \
    template Csc<T, P> csr_to_csc(CsrView<T, P>, int); \
    SPTUNE_CASTS(T, P)

SPTUNE_FOR_ALL_TYPES(SPTUNE_CONVERSIONS)

}  // namespace sptune
