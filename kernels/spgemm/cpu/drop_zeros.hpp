// C without the entries that came out as 0.
#pragma once

#include "matrix/csr.hpp"

namespace sptune {

/// A copy of `c` without entries equal to 0 (of either sign; NaN stays). Throws OutOfMemory.
template <class T, class P>
Csr<T, P> drop_zeros(CsrView<T, P> c, int threads);

/// The same without a second copy, by one thread.
template <class T, class P>
void drop_zeros_in_place(Csr<T, P>& c);

}  // namespace sptune
