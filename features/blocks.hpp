// What r×c blocks would hold, and whether the columns of the next row lie beside those of a row;
// estimated on tiles.
#pragma once

#include "features/features.hpp"
#include "features/tile_sample.hpp"

#include <cstdint>
#include <vector>

namespace sptune {

/// Whether the diagonals of this row of a group of `rows` are followed into the next one. The step
/// has no factor in common with the usual numbers of unknowns per node.
constexpr bool follows_diagonals(std::int64_t row, std::int64_t rows) {
    return row % 5 == 0 && row + 1 < rows;
}

/// Sums over tiles. Doubles, because each of those that were drawn counts as one entry.
struct BlockCounts {
    /// Occupied ones, for each of bsr_probes().
    std::vector<double> blocks = std::vector<double>(bsr_probes().size());
    double entries = 0;
    double followed = 0;   ///< distinct entries of rows that follows_diagonals()
    double continued = 0;  ///< of these, the ones whose diagonal goes on in the next row
    void merge(const BlockCounts& other);
};

/// Adds the rows of `group` (at most kBlockGroup, starting at a multiple of it) in full.
template <class P>
void count_blocks(const P* row_ptr, const index_t* col_idx, RowWindow group, BlockCounts& out);

/// Adds the tile of this draw. `sorted`: the columns of every row never decrease, so that strips
/// are found by halving; in other matrices the first draw from a group stands for all of them.
template <class P>
void count_tile(const P* row_ptr, const index_t* col_idx, std::int64_t rows, std::int64_t cols,
                const TileSample& sample, std::int64_t draw, bool sorted, BlockCounts& out);

/// Fills f.bsr, cols_per_line and diagonal_runs. `in_full`: no tile was drawn.
void describe_blocks(const BlockCounts& counts, bool in_full, Features& f);

}  // namespace sptune
