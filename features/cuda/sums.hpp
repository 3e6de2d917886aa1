// What the kernels of this folder add up, in one piece that one copy brings to the host.
#pragma once

#include <cstdint>

namespace sptune::cuda {

/// CUDA has atomics for this type, but not for std::uint64_t where that is unsigned long.
using count_t = unsigned long long;

/// Row lengths below this are counted in an array, longer ones are listed.
inline constexpr int kShortRows = 512;

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
    count_t long_rows;               ///< how many rows are listed
    unsigned short_rows[kShortRows];  ///< how many rows have each length
    // Over diagonals.
    count_t diagonals;
};

}  // namespace sptune::cuda
