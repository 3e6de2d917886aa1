// The reference of SpMV: one serial loop in f64, and the bound that other results must keep.
#pragma once

#include "matrix/csr.hpp"

namespace sptune {

/// y = A x in f64, and scale_i = Σ_j |a_ij| |x_j|, which error bounds are made of.
template <class T, class P>
void reference_spmv(CsrView<T, P> a, const T* x, double* y, double* scale);

}  // namespace sptune
