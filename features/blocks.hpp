// What r×c blocks would hold, and how the columns of a row lie; estimated on groups of rows.
#pragma once

#include "features/features.hpp"
#include "features/sample.hpp"

#include <cstdint>
#include <vector>

namespace sptune {

/// Rows that the heights r of all bsr_probes() divide: a group of so many rows cuts no block. So do
/// so many columns with the widths c.
inline constexpr std::int64_t kBlockGroup = 24;

/// Sums over groups of rows. Doubles, because groups that were thinned out are scaled up.
struct BlockCounts {
    /// Occupied ones, for each of bsr_probes().
    std::vector<double> blocks = std::vector<double>(bsr_probes().size());
    double entries = 0;
    double gaps = 0;  ///< Σ over rows of two entries or more of the mean gap between columns
    double gap_rows = 0;
    void merge(const BlockCounts& other);
};

/// Adds the rows of `group` (at most kBlockGroup, starting at a multiple of it). Of a group with
/// more than `entry_limit` entries only a strip of columns is looked at. `sorted`: the columns of
/// every row never decrease, so that the strip is found by halving.
template <class P>
void count_blocks(const P* row_ptr, const index_t* col_idx, std::int64_t cols, RowWindow group,
                  std::int64_t entry_limit, bool sorted, BlockCounts& out);

/// Fills f.bsr, cols_per_line and column_gap.
void describe_blocks(const BlockCounts& counts, Features& f);

}  // namespace sptune
