// The row of every entry of a CSR matrix on the GPU.
#pragma once

#include "matrix/cuda/device_buffer.hpp"
#include "matrix/types.hpp"

#include <cstdint>

namespace sptune::cuda {

/// row[k] = the row of entry k, for all `nnz` of them. In the default stream; does not wait.
void rows_of_entries(const std::int32_t* row_ptr, index_t rows, std::int64_t nnz, index_t* row);
void rows_of_entries(const std::int64_t* row_ptr, index_t rows, std::int64_t nnz, index_t* row);

}  // namespace sptune::cuda
