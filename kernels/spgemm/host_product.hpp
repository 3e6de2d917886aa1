// C in host memory.
#pragma once

#include "kernels/spgemm/kernel.hpp"

#include <utility>

namespace sptune {

template <class T, class P>
class HostProduct final : public Product<T, P> {
  public:
    explicit HostProduct(Csr<T, P> c) : c_(std::move(c)) {}
    CsrView<T, P> view() const override { return c_.view(); }
    /// Hands C over; the product is empty afterwards.
    Csr<T, P> release() { return std::move(c_); }

  private:
    Csr<T, P> c_;
};

}  // namespace sptune
