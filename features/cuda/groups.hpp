// The sampled groups of rows: blocks, gaps between columns, mirror images, entries by diagonal.
#pragma once

#include "features/cuda/sums.hpp"
#include "features/sample_plan.hpp"
#include "matrix/csr.hpp"

namespace sptune::cuda {

/// Memory for tables.
struct GroupMemory {
    Slot* diagonals;  ///< 2^diagonals_log2, all zero: comes out with the entries of each diagonal
    int diagonals_log2;
    Slot* spare;  ///< for groups of many entries
    std::uint64_t spare_slots;
};

/// What a sample of this plan of a matrix asks for.
int diagonals_log2(const SamplePlan& plan, std::int64_t rows, std::int64_t nnz);
std::uint64_t spare_slots(const SamplePlan& plan);

/// Adds to `sums` what the rows of plan.rows tell, and their diagonals to the table; wrong numbers
/// where rows are not `sorted` after all. In the default stream; does not wait.
template <class T, class P>
void add_groups(CsrView<T, P> matrix, const SamplePlan& plan, const GroupMemory& memory,
                bool sorted, Sums* sums);

}  // namespace sptune::cuda
