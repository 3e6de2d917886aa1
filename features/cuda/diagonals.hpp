// What comes of the diagonals that entries have met.
#pragma once

#include "features/cuda/groups.hpp"
#include "features/cuda/sums.hpp"

namespace sptune::cuda {

/// Adds the set bits of `occupied` to sums->diagonals. Does not wait.
void add_occupied(const unsigned* occupied, std::int64_t words, Sums* sums);

/// Adds dense_diagonals, on_dense, on_any and diagonal_entries for the table of add_groups(), and
/// lists the counts of kShortRows or more in `listed` (room for as many as the table). Does not
/// wait.
void add_sampled_diagonals(std::int64_t rows, std::int64_t cols, const SamplePlan& plan,
                           const GroupMemory& memory, unsigned* listed, Sums* sums);

}  // namespace sptune::cuda
