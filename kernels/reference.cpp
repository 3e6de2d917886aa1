#include "kernels/reference.hpp"

#include <cmath>

namespace sptune {

template <class T, class P>
void reference_spmv(CsrView<T, P> a, const T* x, double* y, double* scale) {
    for (index_t i = 0; i < a.rows; ++i) {
        double sum = 0, magnitude = 0;
        for (P k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
            const double term = static_cast<double>(a.values[k]) * x[a.col_idx[k]];
            sum += term;
            magnitude += std::abs(term);
        }
        y[i] = sum;
        scale[i] = magnitude;
    }
}

#define SPTUNE_INSTANTIATE(T, P) \
    template void reference_spmv(CsrView<T, P>, const T*, double*, double*);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune
