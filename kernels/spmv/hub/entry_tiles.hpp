// Entries of a matrix in whole tiles, where a bit says that a row begins: less to read than a row
// for each entry. For formats that sort entries by more than their rows.
#pragma once

#include "matrix/cuda/device_buffer.hpp"
#include "matrix/types.hpp"

#include <cstdint>
#include <type_traits>

namespace sptune::cuda {

/// Neighbouring entries of each lane, and entries of a tile, which a warp adds at a time.
inline constexpr int kTileItems = 8;
inline constexpr int kTileEntries = 32 * kTileItems;

/// The highest bit of a code says that its entry is the first of a row, the rest which entry of x
/// it takes.
template <class T, class Code>
struct EntryTiles {
    static_assert(std::is_unsigned_v<Code>);
    static constexpr Code kBegins = static_cast<Code>(Code{1} << (8 * sizeof(Code) - 1));

    std::int64_t tiles = 0;
    DeviceBuffer<Code> code;
    DeviceBuffer<T> values;
    DeviceBuffer<index_t> row;        ///< of every entry that begins one; -1 for what fills a tile
    DeviceBuffer<std::int32_t> open;  ///< tiles; which of `row` goes on in the tile; -1: none

    std::uint64_t bytes() const {
        return code.bytes() + values.bytes() + row.bytes() + open.bytes();
    }
};

}  // namespace sptune::cuda
