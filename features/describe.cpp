#include "features/describe.hpp"

#include "features/fingerprint.hpp"

#include <algorithm>

namespace sptune {

Features blank_features(std::int64_t rows, std::int64_t cols, std::int64_t nnz) {
    Features f;
    f.rows = rows;
    f.cols = cols;
    f.nnz = nnz;
    for (const SellProbe& p : sell_probes()) f.sell.push_back({p.c, p.sigma, 0});
    for (const BsrProbe& p : bsr_probes()) f.bsr.push_back({p.r, p.c, 0});
    f.diagonal_runs = 0;
    return f;
}

Features describe(std::int64_t rows, std::int64_t cols, std::int64_t nnz, const LengthRuns& runs,
                  const WholePass& pass, const SamplePlan& plan, const SampleCounts& counts) {
    Features f = blank_features(rows, cols, nnz);
    f.density = static_cast<double>(nnz) / (static_cast<double>(rows) * static_cast<double>(cols));
    if (pass.look == Look::thorough) f.fingerprint = finish_fingerprint(pass.hash, rows, cols, nnz);
    f.constant_values = pass.look == Look::thorough && pass.constant;
    if (pass.first_pairs > 0)
        f.reuse_distance =
            static_cast<double>(pass.first_moves) / static_cast<double>(pass.first_pairs);
    f.columns_sorted = pass.sorted;
    if (counts.sell_beside.entries > 0) f.long_rows = BesideSlices{0, f.sell};
    describe_row_lengths(runs, pass.order, f);
    describe_diagonals(pass, f);

    f.sampled_share = static_cast<double>(plan.rows.rows()) / static_cast<double>(rows);
    describe_sampled_diagonals(counts.diagonals, f);
    describe_sell(counts.sell, plan.sell_block, rows, f.sell);
    if (f.long_rows) describe_sell(counts.sell_beside, plan.sell_block, rows, f.long_rows->sell);
    describe_blocks(counts.blocks, plan.in_full, f);
    describe_gaps(counts.gaps, f);
    if (rows == cols) {
        // Without off-diagonal entries there is nothing that could be unsymmetric; without any,
        // nothing is known.
        const MirrorCounts& m = counts.mirrors;
        const auto n = static_cast<double>(std::max<std::int64_t>(1, m.entries));
        const double without = counts.diagonals.total > 0 ? 1 : 0;
        f.pattern_symmetry = m.entries ? static_cast<double>(m.present) / n : without;
        f.value_symmetry = m.entries ? static_cast<double>(m.equal) / n : without;
    }
    return f;
}

}  // namespace sptune
