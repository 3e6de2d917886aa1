// Which tiles each block of threads adds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace sptune::cuda {

/// Columns of x that are fetched together.
struct Band {
    std::int32_t column, columns;
};

/// What a block adds to one panel: slots [slot, slot + slots), tiles [tile, tile + tiles), and the
/// first of its runs, of which each warp has as many as there are tiles.
struct PanelShare {
    std::int32_t slot, slots, tile, tiles, run;
};

struct Tiles2dShares {
    std::vector<PanelShare> share;
    std::vector<std::int32_t> share_ptr{0};  ///< blocks + 1
    std::vector<Band> tile;
    std::vector<std::int32_t> share_of_tile;
    std::vector<std::int32_t> tile_of_chunk;  ///< -1: no entries
};

/// A matrix of `cols` columns by panels of slots and by chunks of columns, with the entries of each
/// chunk of each panel.
struct Chunks {
    std::span<const std::uint32_t> entries;  ///< panels · chunks
    std::int64_t chunks, columns;            ///< of a panel; columns of a chunk
    std::int64_t cols;
    std::int64_t slots, panel_slots;  ///< of all panels; of each but the last
};

/// Deals the chunks out to `blocks` in order, so that none takes much longer than another. Tiles
/// begin at a chunk with entries and are at most `most_chunks` wide.
inline Tiles2dShares share_tiles2d(const Chunks& c, std::int64_t most_chunks, int blocks) {
    // What a column of x and a slot of y cost where an entry costs 1, by times on an H200.
    constexpr double kColumn = 0.4, kSlot = 0.5;
    const double fetch = kColumn * static_cast<double>(c.columns),
                 panel = kSlot * static_cast<double>(c.panel_slots);

    std::vector<std::int64_t> some;  // chunks with entries
    double all = 0;
    for (std::size_t i = 0; i < c.entries.size(); ++i)
        if (c.entries[i]) {
            some.push_back(static_cast<std::int64_t>(i));
            all += c.entries[i] + fetch;
        }
    const auto cost = [&](std::int64_t chunk) {
        return c.entries[static_cast<std::size_t>(chunk)] + fetch;
    };
    // Calls begin(block, panel) for each share and put(chunk) for each chunk of it.
    const auto deal = [&](double most, auto begin, auto put) {
        int block = 0;
        double done = 0;
        std::int64_t last = -1;  // panel
        for (const std::int64_t chunk : some) {
            const std::int64_t here = chunk / c.chunks;
            if (done > 0 && done + cost(chunk) + (here != last ? panel : 0) > most) {
                ++block;
                done = 0;
                last = -1;
            }
            if (here != last) {
                begin(block, here);
                done += panel;
                last = here;
            }
            put(chunk);
            done += cost(chunk);
        }
        return block + 1;
    };
    double low = all / blocks, high = 2 * low + 2 * panel;
    const auto nothing = [](auto...) {};
    while (deal(high, nothing, nothing) > blocks) high *= 2;
    for (int i = 0; i < 10; ++i) {
        const double middle = (low + high) / 2;
        (deal(middle, nothing, nothing) > blocks ? low : high) = middle;
    }

    Tiles2dShares s;
    s.tile_of_chunk.assign(c.entries.size(), -1);
    std::int64_t first = 0;  // chunk of the tile that is being made
    const auto begin = [&](int block, std::int64_t at) {
        s.share_ptr.resize(static_cast<std::size_t>(block) + 1,
                           static_cast<std::int32_t>(s.share.size()));
        const std::int64_t slot = at * c.panel_slots;
        s.share.push_back({static_cast<std::int32_t>(slot),
                           static_cast<std::int32_t>(std::min(c.panel_slots, c.slots - slot)),
                           static_cast<std::int32_t>(s.tile.size()), 0, 0});
    };
    deal(high, begin, [&](std::int64_t chunk) {
        PanelShare& share = s.share.back();
        if (share.tiles == 0 || chunk >= first + most_chunks) {
            first = chunk;
            ++share.tiles;
            s.share_of_tile.push_back(static_cast<std::int32_t>(s.share.size()) - 1);
            s.tile.push_back({static_cast<std::int32_t>(chunk % c.chunks * c.columns), 0});
        }
        Band& band = s.tile.back();
        const std::int64_t end = std::min((chunk % c.chunks + 1) * c.columns, c.cols);
        band.columns = static_cast<std::int32_t>(end - band.column);
        s.tile_of_chunk[static_cast<std::size_t>(chunk)] =
            static_cast<std::int32_t>(s.tile.size()) - 1;
    });
    s.share_ptr.resize(static_cast<std::size_t>(blocks) + 1,
                       static_cast<std::int32_t>(s.share.size()));
    return s;
}

}  // namespace sptune::cuda
