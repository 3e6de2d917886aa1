// What multiply.hpp needs to know of pairs in the memory of a GPU. In a build without CUDA it says
// so; so does multiply_on_device().
#pragma once

#include "tuner/multiply.hpp"

namespace sptune::tuner {

/// As usable_memory() for Backend::cuda.
std::uint64_t usable_device_memory();

/// As multiply() for Backend::cuda.
template <class T, class P>
Multiplied<T, P> multiply_cuda(CsrView<T, P> a, CsrView<T, P> b, const ProductFeatures& product,
                               const std::string& id, const SpgemmOptions& options);

/// As features_of_pair() for Backend::cuda.
template <class T, class P>
ProductFeatures features_of_pair_on_device(CsrView<T, P> a, CsrView<T, P> b, bool fingerprints,
                                           void* stream);

}  // namespace sptune::tuner
