// Choosing for a matrix in the memory of the current GPU. In a build without CUDA it says so.
#pragma once

#include "tuner/select.hpp"

namespace sptune::tuner {

/// As choose_for() for Backend::cuda; `entries` of the view must be set.
template <class T, class P>
Chooser<T, P> choose_on_device(CsrView<T, P> device_view);

/// As choose_from_host() for Backend::cuda.
template <class T, class P>
Chooser<T, P> choose_with_copy_on_device(CsrView<T, P> host);

}  // namespace sptune::tuner
