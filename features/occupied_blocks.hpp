// Counts the r×c blocks that a group of rows touches, for all r and c at once.
#pragma once

#include "matrix/types.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace sptune {

/// Heights and widths that can be asked for. All divide 24.
inline constexpr std::array kBlockSides{1, 2, 3, 4, 6, 8};

/// [width][height], as places in kBlockSides. The last two heights only fill the register.
using OccupiedBlocks = std::array<std::array<std::uint32_t, 8>, kBlockSides.size()>;

/// Blocks with an entry among `rows` (at most 24; the first starts a block of every height). The
/// columns of a row may come in any order, and several times.
OccupiedBlocks occupied_blocks(std::span<const std::span<const index_t>> rows);

}  // namespace sptune
