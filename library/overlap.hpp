// Whether arrays of the caller overlap.
#pragma once

#include "matrix/csr.hpp"

#include <cstddef>
#include <cstdint>

namespace sptune::library {

/// Whether [x, x + n) and [y, y + m) have nothing in common; pointers to anywhere may be compared
/// as numbers alone.
template <class T, class U>
bool are_apart(const T* x, std::size_t n, const U* y, std::size_t m) {
    const auto first = reinterpret_cast<std::uintptr_t>(x),
               second = reinterpret_cast<std::uintptr_t>(y);
    return n == 0 || m == 0 || first >= second + m * sizeof(U) || second >= first + n * sizeof(T);
}

/// Whether y lies apart from the arrays of A.
template <class T, class P>
bool is_apart_from(CsrView<T, P> a, const T* y, std::size_t size) {
    const auto nnz = static_cast<std::size_t>(a.nnz());
    return are_apart(y, size, a.values, nnz) && are_apart(y, size, a.col_idx, nnz) &&
           are_apart(y, size, a.row_ptr, static_cast<std::size_t>(a.rows) + 1);
}

}  // namespace sptune::library
