// What SELL-C-σ would pad, estimated on blocks of rows.
#pragma once

#include "features/features.hpp"
#include "features/sample.hpp"

#include <cstdint>
#include <vector>

namespace sptune {

/// The largest σ other than n: a block of so many rows holds whole sorting windows.
inline constexpr std::int64_t kSellBlock = 4096;

/// Lengths beyond 16 keep their four leading bits: a number of `width` bits to its nearest.
constexpr index_t rounded_length(index_t length, int width) {
    const int bits = width > 4 ? width - 4 : 0;
    const index_t half = bits > 0 ? 1 << (bits - 1) : 0;
    return static_cast<index_t>((std::int64_t{length} + half) >> bits << bits);
}

/// Stored entries for each of sell_probes(), and entries; sums over blocks.
struct SellSlots {
    std::vector<std::int64_t> stored = std::vector<std::int64_t>(sell_probes().size());
    std::int64_t entries = 0;
    void merge(const SellSlots& other);
};

/// Counts for the rows of `block` (at most kSellBlock). Slices and sorting windows start at its
/// first row; the last slice is stored with all its C rows. A σ beyond the block is taken as the
/// whole block. Unless `exact`, lengths beyond 16 are rounded to their four leading bits (by 6 %
/// at most), which bounds how many different ones there are.
template <class P>
SellSlots sell_slots(const P* row_ptr, RowWindow block, bool exact = true);

/// Fills the entries of `sell` with σ ≠ n, from those with σ = n: what no sorting can go below.
/// Windows of more rows than the blocks had (`block_rows`) lie between: what a window pads in its
/// slices hardly depends on its size, so that in all they pad as much less as there are less.
void describe_sell(const SellSlots& slots, std::int64_t block_rows, std::int64_t rows,
                   std::vector<SellPadding>& sell);

}  // namespace sptune
