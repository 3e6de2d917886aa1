// What the kernels of this folder add up, in one piece that one copy brings to the host.
#pragma once

#include "features/occupied_blocks.hpp"
#include "features/row_lengths.hpp"

#include <cstdint>

namespace sptune::cuda {

/// CUDA has atomics for this type, but not for std::uint64_t where that is unsigned long.
using count_t = unsigned long long;

/// Numbers below kShortRows are counted in an array; larger ones are listed in no order, elsewhere.
struct Histogram {
    count_t listed;
    unsigned few[kShortRows];
};

/// So many long rows come with the sums; most matrices have no more.
inline constexpr std::size_t kFirstLongRows = 64;

/// A place of a hash table (slots.cuh); all zero while free.
struct Slot {
    unsigned key;  ///< one more than the key that lives here
    unsigned value;
};

/// The most SELL-C-σ probes there can be.
inline constexpr int kMostSellProbes = 64;
inline constexpr int kSides = static_cast<int>(kBlockSides.size());

/// All zero before the first kernel. Signed sums are kept modulo 2^64.
struct Sums {
    // Over entries.
    count_t hash;                         ///< the fingerprint's terms
    count_t distance_low, distance_high;  ///< Σ |column - row| = low + 2^32 · high
    count_t profile, first_moves, first_pairs;
    unsigned past_highest;  ///< most of diagonal + rows
    unsigned past_lowest;   ///< most of cols - diagonal
    unsigned unsorted;      ///< a column is smaller than the one before it in its row
    unsigned varied;        ///< a value differs from the first one
    // Over rows.
    count_t neighbour_diff, warp_slots;
    Histogram row_lengths;
    std::int64_t first_long_rows[kFirstLongRows];
    // Over diagonals.
    count_t diagonals;  ///< from here to diagonal_entries: cleared where groups are counted again
    // Over sampled tiles, and groups of rows.
    double blocks[kSides][kSides];  ///< occupied ones, [width][height]
    double block_entries, followed, continued;
    double gaps, gap_rows;
    count_t mirror_entries, mirrors_present, mirrors_equal;
    count_t slots_taken;  ///< of the tables of groups with many entries
    unsigned overflow;    ///< some table was too small: what is sampled is wrong
    // Over diagonals with sampled entries.
    count_t dense_diagonals, on_dense, on_any;
    unsigned blocks_done;  ///< that have visited diagonals
    Histogram diagonal_entries;
    // Over sampled blocks of rows.
    count_t sell_stored[kMostSellProbes], sell_entries;
};

}  // namespace sptune::cuda
