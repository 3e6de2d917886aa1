// Orders rows by length inside windows, on the GPU: as kernels/spmv/row_order.hpp does on the host.
#pragma once

#include "matrix/csr.hpp"
#include "matrix/cuda/device_buffer.hpp"

namespace sptune::cuda {

/// order[k] is the row that comes k-th when every window of `sigma` rows (kAll: all rows) is sorted
/// by falling length, ties in row order. Empty for sigma 1, which keeps the rows as they are.
/// `longest` is what longest_row() says.
template <class P>
DeviceBuffer<index_t> order_rows(const P* row_ptr, index_t rows, int sigma, index_t longest);

}  // namespace sptune::cuda
