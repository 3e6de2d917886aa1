#include "kernels/spgemm/reference.hpp"

#include <algorithm>
#include <cmath>

namespace sptune {

template <class T, class P>
SpgemmReference reference_spgemm(CsrView<T, P> a, CsrView<T, P> b, index_t first_row,
                                 index_t last_row) {
    const auto cols = static_cast<std::size_t>(b.cols);
    std::vector<double> sum(cols, 0), magnitude(cols, 0);
    std::vector<index_t> terms(cols, 0), touched;
    SpgemmReference c;
    c.first_row = first_row;
    c.row_ptr.push_back(0);
    for (index_t i = first_row; i < last_row; ++i) {
        touched.clear();
        for (P k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
            const index_t row = a.col_idx[k];
            for (P l = b.row_ptr[row]; l < b.row_ptr[row + 1]; ++l) {
                const auto j = static_cast<std::size_t>(b.col_idx[l]);
                if (terms[j]++ == 0) touched.push_back(b.col_idx[l]);
                const double term = static_cast<double>(a.values[k]) * b.values[l];
                sum[j] += term;
                magnitude[j] += std::abs(term);
            }
        }
        std::sort(touched.begin(), touched.end());
        for (const index_t column : touched) {
            const auto j = static_cast<std::size_t>(column);
            c.col_idx.push_back(column);
            c.values.push_back(sum[j]);
            c.magnitude.push_back(magnitude[j]);
            c.terms.push_back(terms[j]);
            sum[j] = magnitude[j] = 0;
            terms[j] = 0;
        }
        c.row_ptr.push_back(static_cast<std::int64_t>(c.col_idx.size()));
    }
    return c;
}

#define SPTUNE_INSTANTIATE(T, P) \
    template SpgemmReference reference_spgemm(CsrView<T, P>, CsrView<T, P>, index_t, index_t);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune
