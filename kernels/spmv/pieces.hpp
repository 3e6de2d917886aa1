// Long rows on the GPU, cut into pieces.
#pragma once

#include "matrix/cuda/device_buffer.hpp"
#include "matrix/types.hpp"

#include <cstdint>

namespace sptune::cuda {

/// Rows (or block rows) that are too long for the threads that others get: each piece of one gets
/// as many. Who finishes the last piece of a row adds them up.
template <class T>
struct Pieces {
    DeviceBuffer<index_t> long_row;
    DeviceBuffer<std::int32_t> piece_ptr;   ///< long rows + 1; the pieces of each
    DeviceBuffer<std::int32_t> piece_long;  ///< pieces; which long row each belongs to
    mutable DeviceBuffer<T> partial;        ///< one sum or more of each piece; scratch of apply
    mutable DeviceBuffer<unsigned> done;    ///< long rows; 0 between calls

    int size() const { return static_cast<int>(piece_long.size()); }
    /// Whether calls use the scratch memory, which they cannot do at the same time.
    bool add_up() const { return piece_long.size() > long_row.size(); }
    std::uint64_t bytes() const {
        return long_row.bytes() + piece_ptr.bytes() + piece_long.bytes();
    }
    std::uint64_t scratch_bytes() const { return partial.bytes() + done.bytes(); }
};

}  // namespace sptune::cuda
