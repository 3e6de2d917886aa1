// What products with several vectors have to know of the rows of a matrix.
#pragma once

#include "matrix/cuda/device_buffer.hpp"
#include "matrix/types.hpp"

#include <cstdint>

namespace sptune::cuda {

/// A row with more entries is the work of others than the lanes that have most rows.
inline constexpr std::int64_t kLongRow = 1024;

struct RowPiece {
    std::int64_t begin, end;  ///< entries
    index_t row;
};

struct RowLengths {
    bool uneven = false;  ///< some are many times as long as most
    std::int64_t long_row = kLongRow;
    DeviceBuffer<RowPiece> pieces;
};

}  // namespace sptune::cuda
