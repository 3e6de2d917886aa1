// Features of the diagonals d = column - row.
#pragma once

#include "features/sample.hpp"
#include "features/whole_pass.hpp"

namespace sptune {

/// Fills diagonals, dia_fill, bandwidth_* and profile of `f` from the whole pass.
void describe_diagonals(const WholePass& pass, Features& f);

/// Fills dense_diagonals, dense_diagonal_share and top_diagonal_share of `f` from the sampled rows.
template <class P>
void sample_diagonals(const P* row_ptr, const index_t* col_idx, const RowSample& sample,
                      Features& f);

}  // namespace sptune
