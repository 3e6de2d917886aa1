// C = A·B on a GPU: the sweep. In a build without CUDA it says so.
#pragma once

#include "tuner/sweep_product.hpp"

namespace sptune::tuner {

/// As sweep_spgemm for Backend::cuda: copies `a` and `b` to the current device and measures there;
/// C is copied back to be verified. Throws DeviceError without a usable GPU, OutOfMemory when A
/// and B do not fit there.
template <class T, class P>
SweepResult sweep_spgemm_cuda(CsrView<T, P> a, CsrView<T, P> b, const Features& features,
                              const ProductFeatures& product, const std::string& baseline,
                              const SweepOptions& options);

}  // namespace sptune::tuner
