// One look at all entries and all rows, and at the blocks of rows that SELL's padding is told from.
#pragma once

#include "features/cuda/sums.hpp"
#include "features/sample_plan.hpp"
#include "matrix/csr.hpp"

namespace sptune::cuda {

/// Adds to `sums` what entries.cuh, rows.cuh and sell.cuh say: one kernel for the three of them, as
/// starting one takes as long as looking at a small matrix. `occupied` has occupied_words() words,
/// `long_rows` nnz / kShortRows places. In the default stream beside the kernel before; does not
/// wait.
template <class T, class P>
void add_whole(CsrView<T, P> matrix, const SamplePlan& plan, unsigned* occupied,
               std::int64_t* long_rows, Sums* sums);

}  // namespace sptune::cuda
