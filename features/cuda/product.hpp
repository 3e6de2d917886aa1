// What can be known of C = A·B without multiplying, for matrices in the memory of the current GPU.
#pragma once

#include "features/product.hpp"

namespace sptune {

/// As product_features(), with the same integers; `entries` of the views must be set. nnz(C) is
/// estimated from the rows of the same sample but for those of more than 2^19 products; where no
/// other row is in it, or no memory for it, the estimate is the upper bound and sampled_share 0.
/// Works in the default stream and waits for it. Holds 8 bytes for each row of A, and up to 2^24
/// products of the sample at 16 bytes. Throws OutOfMemory, CudaError.
template <class T, class P>
ProductFeatures product_features_on_device(CsrView<T, P> a, CsrView<T, P> b,
                                           std::uint64_t fingerprint_a, std::uint64_t fingerprint_b,
                                           std::uint64_t sample_products = 1 << 20);

}  // namespace sptune
