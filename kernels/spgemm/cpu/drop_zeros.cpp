#include "kernels/spgemm/cpu/drop_zeros.hpp"

#include <algorithm>

namespace sptune {

template <class T, class P>
Csr<T, P> drop_zeros(CsrView<T, P> c, int threads) {
    const auto rows = static_cast<std::size_t>(c.rows);
    Csr<T, P> out{c.rows, c.cols, Buffer<P>(rows + 1), {}, {}};
    out.row_ptr[0] = 0;
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::size_t i = 0; i < rows; ++i)
        out.row_ptr[i + 1] = static_cast<P>(std::count_if(
            c.values + c.row_ptr[i], c.values + c.row_ptr[i + 1], [](T v) { return v != T{0}; }));
    for (std::size_t i = 0; i < rows; ++i) out.row_ptr[i + 1] += out.row_ptr[i];
    const auto entries = static_cast<std::size_t>(out.nnz());
    out.col_idx = Buffer<index_t>(entries);
    out.values = Buffer<T>(entries);
#pragma omp parallel for schedule(static) num_threads(threads)
    for (std::size_t i = 0; i < rows; ++i) {
        P at = out.row_ptr[i];
        for (P k = c.row_ptr[i]; k < c.row_ptr[i + 1]; ++k) {
            if (c.values[k] == T{0}) continue;
            out.col_idx[static_cast<std::size_t>(at)] = c.col_idx[k];
            out.values[static_cast<std::size_t>(at++)] = c.values[k];
        }
    }
    return out;
}

template <class T, class P>
void drop_zeros_in_place(Csr<T, P>& c) {
    P at = 0, begin = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(c.rows); ++i) {
        const P end = c.row_ptr[i + 1];
        for (P k = begin; k < end; ++k) {
            const auto from = static_cast<std::size_t>(k), to = static_cast<std::size_t>(at);
            if (c.values[from] == T{0}) continue;
            c.col_idx[to] = c.col_idx[from];
            c.values[to] = c.values[from];
            ++at;
        }
        begin = end;
        c.row_ptr[i + 1] = at;
    }
    c.col_idx.truncate(static_cast<std::size_t>(at));
    c.values.truncate(static_cast<std::size_t>(at));
}

#define SPTUNE_INSTANTIATE(T, P)                       \
    template Csr<T, P> drop_zeros(CsrView<T, P>, int); \
    template void drop_zeros_in_place(Csr<T, P>&);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune
