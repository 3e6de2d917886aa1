// Whether a CSR from outside keeps the promises of the house.
#pragma once

#include "matrix/csr.hpp"

#include <string>

namespace sptune {

/// Checks that the row pointer starts at 0, never decreases and ends at `nnz`, that columns lie in
/// [0, cols) and increase within each row, and that values are finite. Returns what is wrong, with
/// the place as people count, from 1, or an empty string. Reads no entry that the row pointer has
/// not been found right for. Parallel.
template <class T, class P>
std::string csr_problem(CsrView<T, P> matrix, P nnz);

}  // namespace sptune
