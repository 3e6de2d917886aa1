// The full measurement of every way to multiply one pair of matrices.
#pragma once

#include "features/product.hpp"
#include "kernels/spgemm/kernel.hpp"
#include "tuner/sweep.hpp"

namespace sptune::tuner {

/// As sweep_spmv, for C = A·B. `features` are those of A; the entry is filed under the fingerprint
/// of the pair. One call computes C from nothing: its time includes finding nnz(C), allocating C
/// and releasing it, as a program that multiplies once pays for it. On a GPU it is taken with the
/// host's clock, since the call returns when C is there. A kernel may use as much memory as
/// options.limits.storage_bytes says. For large products a sample of C's rows is verified.
/// Throws DeviceError for a backend that is not there.
template <class T, class P>
SweepResult sweep_spgemm(CsrView<T, P> a, CsrView<T, P> b, const Features& features,
                         const ProductFeatures& product, Backend backend,
                         const SweepOptions& options);

/// The same over any CPU kernels.
template <class T, class P>
SweepResult sweep_product_kernels(CsrView<T, P> a, CsrView<T, P> b, const Features& features,
                                  const ProductFeatures& product,
                                  const std::vector<SpgemmKernel<T, P>>& kernels,
                                  const std::string& baseline, const db::Device& device,
                                  const SweepOptions& options);

}  // namespace sptune::tuner
