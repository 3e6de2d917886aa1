// Conversions between the containers of the house.
#pragma once

#include "matrix/csr.hpp"

namespace sptune {

/// Sorts, and sums duplicates in the order of the input, for any number of threads (0: all).
/// Throws Error for entries outside rows × cols or too many for P, OutOfMemory.
template <class T, class P = std::int32_t>
Csr<T, P> coo_to_csr(const Coo<T>& matrix, int threads = 0);

/// Rows of each column come out sorted; columns of the input need not be. Parallel, the same for
/// any number of threads. The arrays are those of the transpose in CSR. Throws OutOfMemory.
template <class T, class P>
Csc<T, P> csr_to_csc(CsrView<T, P> matrix, int threads = 0);

/// The same matrix with other value and row pointer types. Throws Error for a value that is beyond
/// the range of To, or more nonzeros than PTo can count.
template <class To, class PTo, class T, class P>
Csr<To, PTo> cast_csr(CsrView<T, P> matrix);

}  // namespace sptune
