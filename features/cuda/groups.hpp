// The sampled groups of rows: blocks, gaps between columns, mirror images, entries by diagonal.
#pragma once

#include "features/cuda/sums.hpp"
#include "features/diagonals.hpp"
#include "features/sample_plan.hpp"
#include "matrix/csr.hpp"

#include <algorithm>
#include <bit>

namespace sptune::cuda {

/// Memory for tables.
struct GroupMemory {
    Slot* diagonals;  ///< 2^diagonals_log2, all zero: comes out with the entries of each diagonal
    int diagonals_log2;
    Slot* spare;  ///< for groups of many entries
    std::uint64_t spare_slots;
};

/// Of the places of a table in shared memory: 32 KiB.
inline constexpr int kOwnLog2 = 12;

/// What a sample of this plan of a matrix asks for. Twice as many places as there are diagonals as
/// a rule: a few long rows may be most of the matrix.
inline int diagonals_log2(const SamplePlan& plan, std::int64_t rows, std::int64_t nnz) {
    const std::int64_t sampled = plan.rows.rows(), expected = nnz / rows * sampled;
    const std::int64_t most = std::min({4 * expected, sampled * kDiagonalRow, nnz});
    return std::bit_width(static_cast<std::uint64_t>(2 * std::max(2 * plan.work, most)));
}
inline std::uint64_t spare_slots(const SamplePlan& plan) {
    return static_cast<std::uint64_t>(16 * plan.work) + (4u << kOwnLog2);
}

/// Adds to `sums` what the rows of plan.rows tell, and their diagonals to the table; wrong numbers
/// where rows are not `sorted` after all. In the default stream; does not wait.
template <class T, class P>
void add_groups(CsrView<T, P> matrix, const SamplePlan& plan, const GroupMemory& memory,
                bool sorted, Sums* sums);

}  // namespace sptune::cuda
