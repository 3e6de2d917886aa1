// One product with one named kernel, from and to host memory.
#pragma once

#include "features/product.hpp"
#include "kernels/spgemm/kernel.hpp"

#include <string>

namespace sptune::tuner {

template <class T, class P>
struct Multiplied {
    Csr<T, P> c;
    double convert_us = 0;   ///< to bring A and B into the kernel's own form; copies not counted
    double multiply_us = 0;  ///< from A and B to C in the memory of the backend
};

/// C = A·B by the kernel `id` of `backend`. `product` is of this pair; threads 0: all.
/// Throws UsageError for an id that does not exist or is not legal for this pair, DeviceError,
/// OutOfMemory, and SizeOverflow where nnz(C) does not fit P.
template <class T, class P>
Multiplied<T, P> multiply(CsrView<T, P> a, CsrView<T, P> b, const ProductFeatures& product,
                          Backend backend, const std::string& id, const SpgemmOptions& options,
                          int threads);

}  // namespace sptune::tuner
