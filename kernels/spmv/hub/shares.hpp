// Which tiles of hub columns each block of threads adds.
#pragma once

#include "kernels/spmv/hub/cuda_format.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace sptune::cuda {

struct HubShares {
    std::vector<HubShare> share;
    std::vector<std::int32_t> share_ptr;  ///< blocks + 1
};

/// Deals the bands' tiles out to `blocks` in order, so that none takes much longer than another.
/// Band b has tiles [tile[b], tile[b + 1]) and `columns` of the `taken` hub columns. A block whose
/// tiles lie in two bands fetches both, one after the other, which counts as work, too.
inline HubShares share_tiles(std::span<const std::int64_t> tile, int columns, std::int64_t taken,
                             int blocks) {
    // Numbers of x that a block fetches in the time of a tile, roughly; others were not tried.
    constexpr std::int64_t kColumnsOfTile = 512;
    const std::int64_t fetch = columns / kColumnsOfTile;
    const std::size_t bands = tile.size() - 1;
    const auto dealt = [&](std::int64_t work) {  // so much to each block at most
        HubShares s;
        std::int64_t left = 0;
        for (std::size_t b = 0; b < bands; ++b)
            for (std::int64_t t = tile[b]; t < tile[b + 1];) {
                if (left <= fetch) {
                    s.share_ptr.push_back(static_cast<std::int32_t>(s.share.size()));
                    left = work;
                }
                const std::int64_t first = static_cast<std::int64_t>(b) * columns;
                const std::int64_t end = std::min(tile[b + 1], t + left - fetch);
                s.share.push_back(
                    {static_cast<std::int32_t>(first),
                     static_cast<std::int32_t>(std::min<std::int64_t>(columns, taken - first)), t,
                     end});
                left -= fetch + end - t;
                t = end;
            }
        return s;
    };
    std::int64_t low = fetch, high = fetch * static_cast<std::int64_t>(bands) + tile[bands] + 1;
    while (high - low > 1) {  // low is too little, high enough
        const std::int64_t middle = low + (high - low) / 2;
        (static_cast<int>(dealt(middle).share_ptr.size()) > blocks ? low : high) = middle;
    }
    HubShares s = dealt(high);
    s.share_ptr.resize(static_cast<std::size_t>(blocks) + 1,
                       static_cast<std::int32_t>(s.share.size()));
    return s;
}

}  // namespace sptune::cuda
