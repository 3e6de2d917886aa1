// Whether the structure of a caller's CSR can be read at all.
#pragma once

#include "matrix/csr.hpp"

#include <cstdint>
#include <string>

namespace sptune {

/// Nothing outside of the arrays is read and every column lies in [0, cols), for the rows
/// [first, last): what is called before anything follows the indices. Looks at the row before them
/// as well.
template <class P>
bool readable_rows(const P* row_ptr, const index_t* col_idx, index_t cols, P nnz,
                   std::int64_t first, std::int64_t last);

/// What is wrong first, with the 0-based place; empty: nothing.
template <class T, class P>
std::string unreadable(CsrView<T, P> matrix);

/// All rows of a matrix in host memory. Throws UsageError.
template <class T, class P>
void check_structure(CsrView<T, P> matrix, int threads);

}  // namespace sptune
