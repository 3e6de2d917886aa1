// Features of a matrix that lies in the memory of the current GPU: the same numbers as the CPU
// finds (features/features.hpp), integers and the fingerprint exactly, the rest to rounding.
#pragma once

#include "features/features.hpp"
#include "features/first_look.hpp"

#include <memory>

namespace sptune {

/// `entries` of the view must be set. Works in the default stream and waits for it; holds up to
/// one byte for each row, an eighth of one for each column and two for each entry of the device
/// meanwhile. Where rows are not sorted, entries are read a second time and four bytes per row
/// held. Copied to the host and looked at there are matrices that
///  - the sample takes in full: with up to 2048 rows and entries, or up to three rows;
///  - have most of their sampled entries in the few columns looked at (tables would overflow).
template <class T, class P>
Features extract_features_on_device(CsrView<T, P> device_matrix);

/// `entries` of the view must be set. In one kernel in the default stream, whose answer this waits
/// for. Row pointers and columns are only read as far as `rows` and `entries` say, so that what
/// leads out of the arrays is found without following it.
template <class T, class P>
FirstLook first_look_on_device(CsrView<T, P> device_matrix);
/// The same without waiting, of a matrix with rows. Until it is waited for, other threads wait with
/// theirs, and this thread must ask for nothing else that is declared here.
template <class T, class P>
std::unique_ptr<PendingLook> begin_look_on_device(CsrView<T, P> device_matrix);

/// Only the fingerprint, by the same kernel.
template <class T, class P>
std::uint64_t fingerprint_on_device(CsrView<T, P> device_matrix);

}  // namespace sptune
