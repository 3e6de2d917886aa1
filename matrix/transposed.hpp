// Aᵀ as CSR, in host memory.
#pragma once

#include "matrix/convert.hpp"

#include <utility>

namespace sptune {

/// Holds the arrays of the transpose.
template <class T, class P>
class Transposed {
  public:
    /// threads 0: all. Throws OutOfMemory.
    Transposed(CsrView<T, P> a, int threads) : threads_(threads), csc_(csr_to_csc(a, threads)) {}

    CsrView<T, P> view() const {
        return {csc_.cols,           csc_.rows,          csc_.col_ptr.data(),
                csc_.row_idx.data(), csc_.values.data(), csc_.nnz()};
    }
    /// Takes over the values of `a`, whose structure is the same as before. The structure stays
    /// where it is: conversions may point to it.
    void update(CsrView<T, P> a) { csc_.values = std::move(csr_to_csc(a, threads_).values); }

  private:
    int threads_;
    Csc<T, P> csc_;
};

}  // namespace sptune
