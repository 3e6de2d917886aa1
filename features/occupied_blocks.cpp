#include "features/occupied_blocks.hpp"

#include "features/clones.hpp"
#include "features/slot_table.hpp"
#include "matrix/lasting.hpp"

#include <cstring>

namespace sptune {
namespace {

/// One lane for each height.
using Lanes = std::uint32_t __attribute__((vector_size(32)));
constexpr std::uint32_t kTile = 24;

/// 24 columns of the row of blocks that was met last, for each height.
struct alignas(64) Tile {
    Lanes columns;  ///< bit c is set when column c is occupied
    Lanes block;    ///< which row of blocks that is about, from 1; 0 is none
};

/// For each column of a tile and each width, the columns of the block it lies in.
constexpr auto kBlockColumns = [] {
    std::array<std::array<std::uint32_t, kBlockSides.size()>, kTile> masks{};
    for (std::uint32_t column = 0; column < kTile; ++column)
        for (std::size_t w = 0; w < kBlockSides.size(); ++w) {
            const auto width = static_cast<std::uint32_t>(kBlockSides[w]);
            masks[column][w] = ((1u << width) - 1) << column / width * width;
        }
    return masks;
}();

/// A block is counted by the first of its entries: when none of its columns is occupied so far in
/// that row of blocks.
SPTUNE_CLONES
void count_first_entries(const std::span<const index_t>* rows, std::size_t count, SlotTable& tiles,
                         Tile* tile, OccupiedBlocks& out) {
    Lanes blocks[kBlockSides.size()] = {};
    for (std::size_t i = 0; i < count; ++i) {
        Lanes block = {};
        for (std::size_t h = 0; h < kBlockSides.size(); ++h)
            block[h] =
                static_cast<std::uint32_t>(i) / static_cast<std::uint32_t>(kBlockSides[h]) + 1;
        for (const index_t c : rows[i]) {
            const auto column = static_cast<std::uint32_t>(c);
            const std::uint32_t at = column / kTile, bit = column % kTile;
            const std::size_t before = tiles.keys().size();
            Tile& t = tile[tiles[at]];
            if (tiles.keys().size() != before) t = Tile{};
            const Lanes occupied = t.columns & (t.block == block);
            for (std::size_t w = 0; w < kBlockSides.size(); ++w)
                blocks[w] -= (occupied & kBlockColumns[bit][w]) == 0;
            t.columns = occupied | 1u << bit;
            t.block = block;
        }
    }
    std::memcpy(out.data(), blocks, sizeof blocks);
}

}  // namespace

OccupiedBlocks occupied_blocks(std::span<const std::span<const index_t>> rows) {
    auto& tiles = of_this_thread<SlotTable, struct Tiles>();
    auto& tile = of_this_thread<std::vector<Tile>, struct TileOfSlot>();
    std::size_t entries = 0;
    for (const auto& row : rows) entries += row.size();
    tiles.reset(entries);
    if (tile.size() < entries) tile.resize(entries);
    OccupiedBlocks blocks;
    count_first_entries(rows.data(), rows.size(), tiles, tile.data(), blocks);
    return blocks;
}

}  // namespace sptune
