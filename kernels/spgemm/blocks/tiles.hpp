// Nearly dense block products: 8×8 tiles by tensor cores, only where both tiles exist.
#pragma once

#include "kernels/spgemm/blocks/block_matrix.hpp"

namespace sptune::cuda {

inline constexpr int kTile = 8;
inline constexpr int kTileSize = kTile * kTile;
inline constexpr int kIndexBits = 32;  ///< tiles of a word of the index

/// A block matrix with m = 8 whose tiles are found by their place: word w of block row i says which
/// of the block columns 32·w … 32·w + 31 there are, and the number of the first of them.
template <class V>
struct TileMatrix {
    index_t rows = 0, cols = 0;
    index_t tile_rows = 0, words = 0;  ///< words of a row of tiles, `padding` zeros more
    DeviceBuffer<unsigned> bits, first;
    DeviceBuffer<V> values;
    std::uint64_t bytes() const { return bits.bytes() + first.bytes() + values.bytes(); }
};

/// Side of a product as the kernel wants it: tiles of the right factor are stored by columns.
enum class Side { left, right };

/// `pattern`: its ones and zeros instead of its values. Throws Error from 2^32 tiles on.
template <class V>
TileMatrix<V> tiles_of(const BlockMatrix<V>& a, Side side, bool pattern = false);

/// Whether the current device runs multiply_tiles(): it takes compute capability 9.0 (Hopper) or
/// newer, and that the library is compiled for it. Asked once.
bool tiles_work();

/// c = A·B, dense and row-major, A.rows × B.cols, every entry written, the same each time. V: float
/// with errors like those of fused multiply-adds one after the other, infinite numbers giving NaN;
/// double; std::uint32_t saturates. Does not wait. Throws Error unless tiles_work().
template <class V>
void multiply_tiles(const TileMatrix<V>& a, const TileMatrix<V>& b, V* c);

}  // namespace sptune::cuda
