// One product with one named kernel, from and to host memory.
#pragma once

#include "features/product.hpp"
#include "kernels/spgemm/kernel.hpp"
#include "tuner/select_product.hpp"

#include <string>

namespace sptune::tuner {

/// A kernel that exists and cannot multiply this pair.
class IllegalKernel : public UsageError {
  public:
    using UsageError::UsageError;
};

template <class T, class P>
struct Multiplied {
    Csr<T, P> c;
    double convert_us = 0;   ///< to bring A and B into the kernel's own form; copies not counted
    double multiply_us = 0;  ///< from A and B to C in the memory of the backend
    // Of multiply_selected():
    ProductSelection selection;  ///< what was used
    std::string passed_over;     ///< kernels that could not be, and why; empty: none
};

/// C = A·B by the kernel `id` of `backend`. `product` is of this pair; threads 0: all.
/// Throws UsageError for an id that does not exist, IllegalKernel for one that is not legal for
/// this pair, DeviceError, OutOfMemory, and SizeOverflow where nnz(C) does not fit P.
template <class T, class P>
Multiplied<T, P> multiply(CsrView<T, P> a, CsrView<T, P> b, const ProductFeatures& product,
                          Backend backend, const std::string& id, const SpgemmOptions& options,
                          int threads);

/// The same by what select_product() chose. A kernel that is not legal for this pair after all, or
/// that does not fit the memory, gives way to the default, and that to kernels that need less.
/// Throws what the last of them throws.
template <class T, class P>
Multiplied<T, P> multiply_selected(CsrView<T, P> a, CsrView<T, P> b, const ProductFeatures& product,
                                   Backend backend, const ProductSelection& selection,
                                   const SpgemmOptions& options, int threads);

}  // namespace sptune::tuner
