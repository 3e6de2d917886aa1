// Whether arrays of the caller overlap.
#pragma once

#include "matrix/csr.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>

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

/// The same of `count` vectors each.
template <class T>
bool all_apart(const T* x, std::size_t ldx, std::size_t n, const T* y, std::size_t ldy,
               std::size_t m, std::size_t count) {
    if (count == 0 || n == 0 || m == 0) return true;
    if (are_apart(x, (count - 1) * ldx + n, y, (count - 1) * ldy + m)) return true;
    for (std::size_t i = 0, j = 0; i < count && j < count;) {  // they may lie in turns
        const T *const xi = x + i * ldx, *const yj = y + j * ldy;
        if (!are_apart(xi, n, yj, m)) return false;
        ++(std::less<>()(xi, yj) ? i : j);  // the one that comes first has nothing to do with later
    }
    return true;
}

}  // namespace sptune::library
