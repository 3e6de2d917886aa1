#include "features/sample_plan.hpp"

#include "features/sell_padding.hpp"

#include <algorithm>
#include <cmath>

namespace sptune {
namespace {

/// Rows plus entries up to which all is looked at; how much of larger matrices is at least; and the
/// share of really large ones: a sampled entry costs some ten times one of the whole pass.
constexpr std::int64_t kWorkInFull = 4096;
constexpr std::int64_t kWorkFloor = 3072;
constexpr std::int64_t kWorkShare = 192;

std::int64_t work_of(std::int64_t all) {
    return all <= kWorkInFull ? all : std::max(kWorkFloor, all / kWorkShare);
}

std::int64_t rows_wanted(std::int64_t rows, std::int64_t nnz) {
    const double share = static_cast<double>(work_of(rows + nnz)) / static_cast<double>(rows + nnz);
    return static_cast<std::int64_t>(std::ceil(share * static_cast<double>(rows)));
}

/// As many as groups are wanted, but some even of long rows, small ones then.
TileSample tiles_of(std::int64_t nnz, std::int64_t work, std::int64_t groups) {
    constexpr std::int64_t kFew = 8;
    const std::int64_t count = std::max(groups, kFew);
    return {nnz, std::min(count, nnz), std::min(work / kFew, 4 * work / count)};
}

}  // namespace

// SELL needs long stretches of rows, which small matrices cannot afford in full.
SamplePlan::SamplePlan(std::int64_t row_count, std::int64_t nnz)
    : work(work_of(row_count + nnz)),
      in_full(row_count + nnz <= kWorkInFull),
      rows(row_count, rows_wanted(row_count, nnz), kBlockGroup, kWindows),
      sell_block(rows.everything() || rows_wanted(row_count, nnz) >= kSellBlock ? kSellBlock
                                                                                : kSellBlock / 2),
      sell_blocks(row_count, rows_wanted(row_count, nnz), sell_block, kWindows),
      tiles(tiles_of(nnz, work, rows.rows() / kBlockGroup)) {}

}  // namespace sptune
