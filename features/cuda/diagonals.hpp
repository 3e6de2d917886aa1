// What comes of the diagonals that entries have met.
#pragma once

#include "features/cuda/groups.hpp"
#include "features/cuda/read_back.hpp"
#include "features/cuda/sums.hpp"

namespace sptune::cuda {

/// Adds the set bits of `occupied` to sums->diagonals; and dense_diagonals, on_dense, on_any and
/// diagonal_entries for the table of add_groups(), listing the counts of kShortRows or more in
/// `listed` (room for as many as the table). What is then in `copy.from` goes to the host. Does not
/// wait.
void add_diagonals(const unsigned* occupied, std::int64_t rows, std::int64_t cols,
                   const SamplePlan& plan, const GroupMemory& memory, unsigned* listed, Sums* sums,
                   HostCopy copy);

/// Length of `occupied`.
constexpr std::int64_t occupied_words(std::int64_t rows, std::int64_t cols) {
    return (rows + cols) / 32 + 1;
}

}  // namespace sptune::cuda
