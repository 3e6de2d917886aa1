// The pass over all entries.
#pragma once

#include "features/cuda/sums.hpp"
#include "matrix/csr.hpp"
#include "matrix/cuda/device_buffer.hpp"

namespace sptune::cuda {

/// Adds to `sums` all that is summed over entries, in the default stream beside the kernel before;
/// does not wait. Sets bit d of `occupied` (all clear before) where an entry has
/// column - row + rows - 1 = d.
/// profile, first_moves and first_pairs take the first column of each row as its smallest, which
/// holds unless `unsorted` comes out.
template <class T, class P>
void add_entries(CsrView<T, P> matrix, unsigned* occupied, Sums* sums);

/// Those three for rows in any order. `smallest` has one place for each. Overwrites
/// what `sums` has.
template <class T, class P>
void add_smallest_columns(CsrView<T, P> matrix, DeviceBuffer<unsigned>& smallest, Sums* sums);

}  // namespace sptune::cuda
