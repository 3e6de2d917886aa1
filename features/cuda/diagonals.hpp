// What comes of the diagonals that entries have met.
#pragma once

#include "features/cuda/groups.hpp"
#include "features/cuda/sums.hpp"
#include "features/cuda/workspace.hpp"

namespace sptune::cuda {

/// Where a list goes: number n to first[n], from `count` on to later[n].
struct Listed {
    unsigned *first, *later;
    std::size_t count;
};

/// Adds the set bits of `occupied` to sums->diagonals; and dense_diagonals, on_dense, on_any and
/// diagonal_entries for the table of add_groups(), listing the counts of kShortRows or more (as
/// many as the table has places). What is then in `copy.from` goes to the host. Unless rows turn
/// out not to be sorted, `occupied`, the table and `copy.from` are all zero afterwards. In the
/// default stream; does not wait.
void add_diagonals(unsigned* occupied, std::int64_t rows, std::int64_t cols, const SamplePlan& plan,
                   const GroupMemory& memory, Listed listed, Sums* sums, HostCopy copy);

/// Length of `occupied`.
constexpr std::int64_t occupied_words(std::int64_t rows, std::int64_t cols) {
    return (rows + cols) / 32 + 1;
}

}  // namespace sptune::cuda
