// How much memory a CSR matrix takes.
#pragma once

#include "matrix/csr.hpp"

#include <cstdint>

namespace sptune {

/// Bytes of all three arrays, which one multiplication reads.
template <class T, class P>
std::uint64_t csr_bytes(CsrView<T, P> a) {
    return static_cast<std::uint64_t>(a.nnz()) * (sizeof(T) + sizeof(index_t)) +
           (static_cast<std::uint64_t>(a.rows) + 1) * sizeof(P);
}

}  // namespace sptune
