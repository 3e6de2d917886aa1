// The caller's matrix: looked at, and transposed where that is asked for.
#pragma once

#include "kernels/variant.hpp"
#include "library/failures.hpp"
#include "matrix/csr.hpp"

#include <memory>

namespace sptune::library {

/// Where the arrays of A lie. Throws UsageError where some lie on the host and some on a GPU.
template <class T, class P>
Backend backend_of(const csr_view<T, P>& a);

/// Our view of it, with the entries counted. Throws UsageError for what cannot be a matrix, as far
/// as that shows without a pass over the arrays.
template <class T, class P>
CsrView<T, P> checked_view(const csr_view<T, P>& a, Backend backend);

/// A transpose in the memory of `backend`.
template <class T, class P>
class Transpose {
  public:
    virtual ~Transpose() = default;
    virtual CsrView<T, P> view() const = 0;
    /// Takes over the values of `a`, whose structure is the same as before.
    virtual void update(CsrView<T, P> a) = 0;
};
template <class T, class P>
std::unique_ptr<Transpose<T, P>> transpose(CsrView<T, P> a, Backend backend, int threads);

}  // namespace sptune::library
