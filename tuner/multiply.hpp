// One product with one named kernel: from and to host memory, or within that of a GPU.
#pragma once

#include "features/product.hpp"
#include "kernels/spgemm/kernel.hpp"
#include "tuner/select_product.hpp"

#include <memory>
#include <string>

namespace sptune::tuner {

/// A kernel that exists and cannot multiply this pair.
class IllegalKernel : public UsageError {
  public:
    using UsageError::UsageError;
};

/// How C was made.
struct Making {
    double convert_us = 0;   ///< to bring A and B into the kernel's own form; copies not counted
    double multiply_us = 0;  ///< from A and B to C in the memory of the backend
    // Of multiply_selected():
    ProductSelection selection;  ///< what was used
    std::string passed_over;     ///< kernels that could not be, and why; empty: none
};

template <class T, class P>
struct Multiplied : Making {
    Csr<T, P> c;
};

/// C where the kernel left it.
template <class T, class P>
struct MultipliedInPlace : Making {
    std::unique_ptr<Product<T, P>> c;
};

/// What C and all that is needed to make it may take of the memory of `backend` at the moment,
/// bytes, whatever SpgemmOptions::memory_bytes allows.
std::uint64_t usable_memory(Backend backend);

/// C = A·B by the kernel `id` of `backend`. `product` is of this pair; threads 0: all.
/// Throws UsageError for an id that does not exist, IllegalKernel for one that is not legal for
/// this pair, DeviceError, OutOfMemory, and SizeOverflow where nnz(C) does not fit P.
template <class T, class P>
Multiplied<T, P> multiply(CsrView<T, P> a, CsrView<T, P> b, const ProductFeatures& product,
                          Backend backend, const std::string& id, const SpgemmOptions& options,
                          int threads);

/// The same by what select_product() chose. A kernel that is not legal for this pair after all, or
/// that does not fit the memory, gives way to the selection's next ones, those to the default, and
/// that to kernels that need less.
/// Throws what the last of them throws.
template <class T, class P>
Multiplied<T, P> multiply_selected(CsrView<T, P> a, CsrView<T, P> b, const ProductFeatures& product,
                                   Backend backend, const ProductSelection& selection,
                                   const SpgemmOptions& options, int threads);

/// The same two for A and B in the memory of the current GPU, where C stays: `entries` of the views
/// must be set. What was enqueued to `stream`, a cudaStream_t, is waited for; C is finished on
/// return.
template <class T, class P>
MultipliedInPlace<T, P> multiply_on_device(CsrView<T, P> a, CsrView<T, P> b,
                                           const ProductFeatures& product, const std::string& id,
                                           const SpgemmOptions& options, void* stream);
template <class T, class P>
MultipliedInPlace<T, P> multiply_selected_on_device(CsrView<T, P> a, CsrView<T, P> b,
                                                    const ProductFeatures& product,
                                                    const ProductSelection& selection,
                                                    const SpgemmOptions& options, void* stream);

/// product_features() of matrices in the memory of `backend`, with their fingerprints if they are
/// wanted (else 0): each is a pass over a matrix. On a GPU what was enqueued to `stream` is waited
/// for.
template <class T, class P>
ProductFeatures features_of_pair(CsrView<T, P> a, CsrView<T, P> b, Backend backend, int threads,
                                 bool fingerprints = true, void* stream = nullptr);

}  // namespace sptune::tuner
