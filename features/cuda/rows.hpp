// The pass over all row pointers.
#pragma once

#include "features/cuda/sums.hpp"
#include "matrix/types.hpp"

namespace sptune::cuda {

/// Adds to `sums` what the row pointers alone tell, their part of the hash included, and lists the
/// lengths of kShortRows or more, in no order: the first ones in `sums`, number n from
/// kFirstLongRows on in long_rows[n] (room for nnz / kShortRows). In the default stream, beside
/// the kernel before; does not wait.
template <class P>
void add_rows(const P* row_ptr, index_t rows, std::int64_t* long_rows, Sums* sums);

}  // namespace sptune::cuda
