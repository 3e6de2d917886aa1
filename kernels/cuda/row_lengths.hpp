// How long the rows of a CSR matrix are, found on the GPU.
#pragma once

#include "matrix/cuda/device_buffer.hpp"
#include "matrix/types.hpp"

#include <cstdint>

namespace sptune::cuda {

/// Entries of the longest row, 0 without rows. Waits for the device.
template <class P>
index_t longest_row(const P* row_ptr, index_t rows);

/// The length of every row, rising. `longest` is what longest_row() says.
template <class P>
DeviceBuffer<std::uint32_t> sorted_lengths(const P* row_ptr, index_t rows, index_t longest);

}  // namespace sptune::cuda
