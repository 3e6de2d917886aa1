// Features of a matrix that lies in the memory of the current GPU: the same numbers as the CPU
// finds (features/features.hpp), integers and the fingerprint exactly, the rest to rounding.
#pragma once

#include "features/features.hpp"

namespace sptune {

/// `entries` of the view must be set. Works in the default stream and waits for it; holds some
/// 4 · (rows + cols) bytes of the device meanwhile. Costs less than five plain CSR SpMVs where an
/// SpMV takes 40 us or more. Copied to the host and looked at there are matrices
///  - of up to 16384 rows and entries, where that is faster, or that the sample would take in full;
///  - with unsorted rows of which a few dozen hold thousands of entries (kMostUnsorted).
template <class T, class P>
Features extract_features_on_device(CsrView<T, P> device_matrix);

/// Only the fingerprint; one pass.
template <class T, class P>
std::uint64_t fingerprint_on_device(CsrView<T, P> device_matrix);

}  // namespace sptune
