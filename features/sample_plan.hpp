// How much of a matrix the estimated features look at: the same rows and entries on CPU and GPU.
#pragma once

#include "features/sample.hpp"
#include "features/tile_sample.hpp"

#include <cstdint>

namespace sptune {

/// The most windows of a sample that is not everything.
inline constexpr std::int64_t kWindows = 48;

/// Every so manieth sampled entry is looked at for its mirror image, if there are `entries`.
constexpr std::int64_t mirror_stride(std::int64_t entries, std::int64_t work) {
    return 1 + entries / (work / 4 + 1);
}

/// Mirror images are looked for in rows that are not sorted up to this length: entry by entry,
/// which for each of many entries in one long row would take longer than all else.
inline constexpr std::int64_t kMostUnsorted = 1024;

/// For a matrix with at least one row.
struct SamplePlan {
    SamplePlan(std::int64_t rows, std::int64_t nnz);

    std::int64_t work;        ///< rows plus entries aimed at
    bool in_full;             ///< all rows and entries are looked at
    RowSample rows;           ///< whole groups of kBlockGroup rows
    std::int64_t sell_block;  ///< rows of the stretches that SELL padding is estimated on
    RowSample sell_blocks;    ///< those
    TileSample tiles;         ///< unless in_full
};

}  // namespace sptune
