#include "features/structure.hpp"

#include "features/wide_loops.hpp"
#include "matrix/error.hpp"
#include "matrix/parallel.hpp"

#include <algorithm>
#include <atomic>

#include <fmt/format.h>

namespace sptune {
template <class P>
bool readable_rows(const P* row_ptr, const index_t* col_idx, index_t cols, P nnz,
                   std::int64_t first, std::int64_t last) {
    const std::int64_t from = std::max<std::int64_t>(first - 1, 0);
    if (row_ptr[from] < 0 || row_ptr[last] > nnz || falls(row_ptr, from, last) > 0) return false;
    return row_ptr[from] == row_ptr[last] ||
           largest_column(col_idx, row_ptr[from], row_ptr[last]) < static_cast<std::uint32_t>(cols);
}

template <class T, class P>
std::string unreadable(CsrView<T, P> a) {
    const P nnz = a.nnz();
    for (index_t i = 0; i < a.rows; ++i) {
        const P begin = a.row_ptr[i], end = a.row_ptr[i + 1];
        if (begin > end)
            return fmt::format("row_ptr[{}] is {}, less than row_ptr[{}], {}", i + 1, end, i,
                               begin);
        if (begin < 0 || end > nnz)
            return fmt::format("row_ptr[{}] is {}, but there are {} entries", begin < 0 ? i : i + 1,
                               begin < 0 ? begin : end, nnz);
        for (P k = begin; k < end; ++k)
            if (a.col_idx[k] < 0 || a.col_idx[k] >= a.cols)
                return fmt::format(
                    "col_idx[{}], in row {}, is {}, but there are {} columns, counted from 0", k, i,
                    a.col_idx[k], a.cols);
    }
    return {};
}

template <class T, class P>
void check_structure(CsrView<T, P> a, int threads) {
    constexpr std::int64_t kChunk = 1024;
    const P nnz = a.nnz();
    std::atomic<bool> readable{true};
    threads = team_size(threads, static_cast<std::uint64_t>(nnz));
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (std::int64_t first = 0; first < a.rows; first += kChunk) {
        const std::int64_t last = std::min<std::int64_t>(a.rows, first + kChunk);
        if (!readable_rows(a.row_ptr, a.col_idx, a.cols, nnz, first, last)) readable = false;
    }
    if (!readable) throw UsageError(unreadable(a));
}

#define SPTUNE_INSTANTIATE(P)                                                                      \
    template bool readable_rows(const P*, const index_t*, index_t, P, std::int64_t, std::int64_t); \
    template std::string unreadable(CsrView<float, P>);                                            \
    template std::string unreadable(CsrView<double, P>);                                           \
    template void check_structure(CsrView<float, P>, int);                                         \
    template void check_structure(CsrView<double, P>, int);
SPTUNE_INSTANTIATE(std::int32_t)
SPTUNE_INSTANTIATE(std::int64_t)
#undef SPTUNE_INSTANTIATE

}  // namespace sptune
