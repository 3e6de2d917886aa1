// C in the memory of the current GPU.
#pragma once

#include "kernels/spgemm/kernel.hpp"
#include "matrix/cuda/device_csr.hpp"

#include <utility>

namespace sptune {

template <class T, class P>
class DeviceProduct final : public Product<T, P> {
  public:
    explicit DeviceProduct(DeviceCsr<T, P> c) : c_(std::move(c)) {}
    CsrView<T, P> view() const override { return c_.view(); }

  private:
    DeviceCsr<T, P> c_;
};

}  // namespace sptune
