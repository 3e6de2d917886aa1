// How far the entries of a row are apart.
#pragma once

#include "features/features.hpp"
#include "features/sample.hpp"

namespace sptune {

/// Sums over rows of two entries or more.
struct GapCounts {
    double gaps = 0;  ///< of the mean gaps between the columns of a row
    double rows = 0;
    void merge(const GapCounts& other);
};

/// Adds the rows of `window`. `sorted`: the columns of every row never decrease.
template <class P>
void count_gaps(const P* row_ptr, const index_t* col_idx, RowWindow window, bool sorted,
                GapCounts& out);

/// Fills column_gap.
void describe_gaps(const GapCounts& counts, Features& f);

}  // namespace sptune
