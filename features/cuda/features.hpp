// Features of a matrix that lies in the memory of the current GPU: the same numbers as the CPU
// finds (features/features.hpp), integers and the fingerprint exactly, the rest to rounding.
#pragma once

#include "features/features.hpp"
#include "features/first_look.hpp"

namespace sptune {

/// `entries` of the view must be set. Works in the default stream and waits for it; holds up to
/// one byte for each row, an eighth of one for each column and two for each entry of the device
/// meanwhile. Where rows are not sorted, entries are read a second time and four bytes per row
/// held. Copied to the host and looked at there are matrices that
///  - the sample takes in full: with up to 2048 rows and entries, or up to three rows;
///  - have most of their sampled entries in the few columns looked at (tables would overflow).
template <class T, class P>
Features extract_features_on_device(CsrView<T, P> device_matrix);

/// In one kernel, whose answer is there a few microseconds after it was launched. Columns and row
/// pointers are only read as far as `entries` and `rows` of the view say.
template <class T, class P>
FirstLook first_look_on_device(CsrView<T, P> device_matrix);

/// Only the fingerprint; one pass.
template <class T, class P>
std::uint64_t fingerprint_on_device(CsrView<T, P> device_matrix);

}  // namespace sptune
