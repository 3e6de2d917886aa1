// What SELL-C-σ would pad, on sampled blocks of rows.
#pragma once

#include "features/cuda/sums.hpp"
#include "features/sample_plan.hpp"
#include "matrix/types.hpp"

namespace sptune::cuda {

/// Adds sell_stored and sell_entries to `sums`: what sell_slots() counts for the blocks of
/// plan.sell_blocks with rounded lengths. `nnz` bounds the lengths. In the default stream,
/// beside the kernel before; does not wait.
template <class P>
void add_sell(const P* row_ptr, std::int64_t nnz, const SamplePlan& plan, Sums* sums);

}  // namespace sptune::cuda
