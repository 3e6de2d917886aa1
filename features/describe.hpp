// From counts to features: the same on the host for what CPU and GPU have counted.
#pragma once

#include "features/blocks.hpp"
#include "features/diagonals.hpp"
#include "features/gaps.hpp"
#include "features/row_lengths.hpp"
#include "features/sample_plan.hpp"
#include "features/sell_padding.hpp"
#include "features/symmetry.hpp"
#include "features/whole_pass.hpp"

namespace sptune {

/// What the sampled rows told.
struct SampleCounts {
    SellSlots sell;
    SellSlots sell_beside;  ///< without entries where no row is very long
    BlockCounts blocks;
    GapCounts gaps;
    MirrorCounts mirrors;  ///< of square matrices
    DiagonalCounts diagonals;
};

/// An empty description, with the probes in place.
Features blank_features(std::int64_t rows, std::int64_t cols, std::int64_t nnz);

/// All features of a matrix with at least one nonzero. `runs` stands for pass.lengths.
Features describe(std::int64_t rows, std::int64_t cols, std::int64_t nnz, const LengthRuns& runs,
                  const WholePass& pass, const SamplePlan& plan, const SampleCounts& counts);

}  // namespace sptune
