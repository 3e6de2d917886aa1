// C = A·B on a GPU: the sweep, and one product. In a build without CUDA it says so.
#pragma once

#include "tuner/multiply.hpp"
#include "tuner/sweep_product.hpp"

namespace sptune::tuner {

/// As sweep_spgemm for Backend::cuda: copies `a` and `b` to the current device and measures there;
/// C is copied back to be verified. Throws DeviceError without a usable GPU, OutOfMemory when A
/// and B do not fit there.
template <class T, class P>
SweepResult sweep_spgemm_cuda(CsrView<T, P> a, CsrView<T, P> b, const Features& features,
                              const ProductFeatures& product, const std::string& baseline,
                              const SweepOptions& options);

/// As multiply() for Backend::cuda.
template <class T, class P>
Multiplied<T, P> multiply_cuda(CsrView<T, P> a, CsrView<T, P> b, const ProductFeatures& product,
                               const std::string& id, const SpgemmOptions& options);

}  // namespace sptune::tuner
