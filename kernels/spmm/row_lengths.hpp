// What products with several vectors have to know of the rows of a matrix.
#pragma once

#include "matrix/cuda/device_buffer.hpp"
#include "matrix/types.hpp"

#include <cstdint>

namespace sptune::cuda {

/// A row with more entries is the work of others than the lanes that have most rows.
inline constexpr std::int64_t kLongRow = 1024;

/// For a whole block.
struct LongPiece {
    std::int64_t begin, end;  ///< entries
    index_t row;
};

/// For some lanes: entries begin ... begin + count - 1.
struct alignas(16) RowPiece {
    std::int64_t begin;
    index_t row;
    std::uint16_t count;
    bool is_whole;  ///< else the row has other pieces
};

struct RowLengths {
    bool uneven = false;  ///< some are many times as long as most
    std::int64_t long_row = kLongRow;
    DeviceBuffer<LongPiece> long_pieces;  ///< of rows longer than long_row
    /// All rows, long ones cut, those with most entries first: so neighbours end at the same time,
    /// and what takes longest begins first. None where rows are nearly equal.
    DeviceBuffer<RowPiece> sorted_pieces;
    DeviceBuffer<std::int64_t> cut_rows;  ///< of several sorted pieces, rising
};

/// Fills in sorted_pieces and cut_rows, both or none. `longest`: entries of the longest row;
/// `mean`: of all. Waits for the default stream. Throws CudaError, OutOfMemory.
template <class P>
void sort_pieces(const P* row_ptr, index_t rows, index_t longest, double mean, RowLengths& found);

}  // namespace sptune::cuda
