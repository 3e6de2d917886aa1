// How a matrix is cut into panels and bands, as far as its numbers of rows, columns and entries
// say.
#pragma once

#include "kernels/params.hpp"
#include "kernels/spmv/hub/cuda_format.hpp"
#include "kernels/spmv/tiles2d/cuda_format.hpp"
#include "matrix/cuda/grid.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

namespace sptune::cuda {

inline constexpr int kLanes = 32;  ///< of a warp
/// Of a band.
inline constexpr int kChunks = 16;
/// Entries, and what fills up their steps, are numbered by 32 bits.
inline constexpr std::int64_t kMostEntries = std::int64_t{1} << 30;
/// Columns that are fetched for all panels together, for each entry.
inline constexpr std::int64_t kMostFetched = 8;
inline constexpr int kLeastBand = 2048;

/// What follows of the numbers alone.
struct Tiles2dShape {
    int warps, panel, band;  ///< of a block; room for slots; room for columns
    std::int64_t share;      ///< entries of a slot, at most
    std::int64_t slots;      ///< of all rows, at most
    std::int64_t panels, chunks;

    int chunk() const { return band / kChunks; }
    int rows_of_panel() const { return panel - warps * kLanes; }
    struct Cut {
        std::int64_t panel_slots, panels;
    };
    /// Into as few panels as can be, of about the same size, which begin at aligned rows of y.
    Cut cut(std::int64_t all) const {
        constexpr std::int64_t kAligned = 32;
        const std::int64_t least = (all + rows_of_panel() - 1) / rows_of_panel();
        const std::int64_t each = (all + least - 1) / std::max<std::int64_t>(least, 1);
        const std::int64_t slots = (each + kAligned - 1) / kAligned * kAligned;
        return {slots, slots ? (all + slots - 1) / slots : 0};
    }
    /// If all are needed; where blocks share a panel, others begin.
    std::int64_t tiles() const { return panels * ((chunks + kChunks - 1) / kChunks); }
};

/// `longest`: entries of a row at most, nnz where that is not known.
template <class T>
Tiles2dShape shape_of(std::int64_t rows, std::int64_t cols, std::int64_t nnz, std::int64_t longest,
                      const Params& params) {
    constexpr int kAlignedChunk = 64;
    Tiles2dShape s;
    s.warps = get(params, "b") / kLanes;
    s.panel = std::min(get(params, "y") * 1024 / static_cast<int>(sizeof(T)), kMostPanelSlots);
    const auto left = static_cast<std::int64_t>(most_shared_bytes()) - kOwnSharedBytes -
                      s.panel * static_cast<std::int64_t>(sizeof(T));
    const std::int64_t columns = left / kBandsAtOnce / static_cast<std::int64_t>(sizeof(T)) - 8;
    constexpr std::int64_t kUnit = kChunks * kAlignedChunk;
    s.band =
        static_cast<int>(std::clamp<std::int64_t>(columns / kUnit * kUnit, 0, kMostBandColumns));
    // Of rows with more entries in a tile than a run has steps, several lanes would have an entry
    // in the same step.
    const std::int64_t places = s.rows_of_panel();
    const std::int64_t least_panels = (rows + places - 1) / places;
    constexpr std::int64_t kSpread = 2;  // not all tiles hold as many
    s.share = 1 + nnz / (std::max<std::int64_t>(least_panels, 1) * s.warps * kLanes * kSpread);
    s.slots = longest <= s.share ? rows : rows + nnz / s.share;
    s.panels = s.cut(s.slots).panels;
    s.chunks = s.band ? (cols + s.chunk() - 1) / s.chunk() : 0;
    return s;
}

inline std::string why_illegal(std::int64_t nnz, std::int64_t cols, const Tiles2dShape& s) {
    if (nnz > kMostEntries) return "more than 2^30 entries";
    if (s.slots > std::numeric_limits<std::int32_t>::max() - kLanes)
        return "2^31 rows or nearly so";
    if (s.band < kLeastBand)
        return "a block may have " + std::to_string(most_shared_bytes() >> 10) +
               " KiB of shared memory here, too little for x beside the panel";
    if (s.panels * cols > kMostFetched * nnz)
        return "x would be fetched " + std::to_string(s.panels) + " times for " +
               std::to_string(nnz / std::max<std::int64_t>(cols, 1)) + " entries a column";
    if (nnz < std::int64_t{multiprocessors()} * s.band)
        return "each multiprocessor would fetch " + std::to_string(s.band) + " numbers of x for " +
               std::to_string(nnz / multiprocessors()) + " entries";
    return {};
}

}  // namespace sptune::cuda
