// The smallest column of each row, where rows are in no order.
#pragma once

#include "features/cuda/sums.hpp"
#include "matrix/csr.hpp"
#include "matrix/cuda/device_buffer.hpp"

namespace sptune::cuda {

/// profile, first_moves and first_pairs for rows in any order, instead of what `sums` has.
/// `smallest` has one place for each row. In the default stream; does not wait.
template <class T, class P>
void add_smallest_columns(CsrView<T, P> matrix, DeviceBuffer<unsigned>& smallest, Sums* sums);

}  // namespace sptune::cuda
