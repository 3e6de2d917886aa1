#include "matrix/validate.hpp"

#include "matrix/parallel.hpp"

#include <cmath>

#include <fmt/format.h>

namespace sptune {

namespace {

template <class T, class P>
std::string row_problem(CsrView<T, P> m, index_t r) {
    const std::int64_t row = std::int64_t{r} + 1;
    std::int64_t previous = 0;
    for (P i = m.row_ptr[r]; i < m.row_ptr[std::int64_t{r} + 1]; ++i) {
        const std::int64_t col = std::int64_t{m.col_idx[i]} + 1;
        if (col < 1 || col > m.cols)
            return fmt::format("row {} has column {} of {}", row, col, m.cols);
        if (col <= previous)
            return fmt::format("row {} has column {} behind column {}", row, col, previous);
        if (!std::isfinite(m.values[i]))
            return fmt::format("the value of row {}, column {} is {}", row, col, m.values[i]);
        previous = col;
    }
    return {};
}

}  // namespace

template <class T, class P>
std::string csr_problem(CsrView<T, P> m, P nnz) {
    if (m.rows < 0 || m.cols < 0 || nnz < 0) return "a size is negative";
    if (m.row_ptr[0] != 0) return fmt::format("the row pointer starts at {}", m.row_ptr[0]);
    for (std::int64_t r = 0; r < m.rows; ++r)
        if (m.row_ptr[r] > m.row_ptr[r + 1])
            return fmt::format("the row pointer decreases behind row {}", r + 1);
    if (m.row_ptr[m.rows] != nnz)
        return fmt::format("the row pointer ends at {} with {} entries", m.row_ptr[m.rows], nnz);
    index_t bad_row = m.rows;
    const int threads = team_size(0, static_cast<std::uint64_t>(nnz));
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1024) reduction(min : bad_row)
    for (index_t r = 0; r < m.rows; ++r)
        if (r < bad_row && !row_problem(m, r).empty()) bad_row = r;
    return bad_row < m.rows ? row_problem(m, bad_row) : std::string();
}

#define SPTUNE_INSTANTIATE(T, P) template std::string csr_problem(CsrView<T, P>, P);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune
