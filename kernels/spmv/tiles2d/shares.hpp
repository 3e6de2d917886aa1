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
    constexpr double kColumn = 0.3, kSlot = 0.5;
    const double fetch = kColumn * static_cast<double>(c.columns),
                 panel = kSlot * static_cast<double>(c.panel_slots);

    std::vector<std::int64_t> some;  // chunks with entries
    std::vector<double> before{0};   // what all up to each cost
    std::vector<std::size_t> first;  // of each panel, in `some`
    for (std::size_t i = 0; i < c.entries.size(); ++i) {
        if (i % static_cast<std::size_t>(c.chunks) == 0) first.push_back(some.size());
        if (!c.entries[i]) continue;
        some.push_back(static_cast<std::int64_t>(i));
        before.push_back(before.back() + c.entries[i] + fetch);
    }
    first.push_back(some.size());
    // Calls use(block, panel, begin, end) for each share, with its place in `some`; returns how
    // many blocks that takes if each has at most so much to do.
    const auto deal = [&](double most, auto use) {
        int block = 0;
        double room = most;
        for (std::size_t p = 0; p + 1 < first.size(); ++p)
            for (std::size_t i = first[p]; i < first[p + 1];) {
                const auto from = before.begin() + static_cast<std::ptrdiff_t>(i) + 1;
                const auto to = before.begin() + static_cast<std::ptrdiff_t>(first[p + 1]) + 1;
                auto end = static_cast<std::size_t>(
                    std::upper_bound(from, to, before[i] + room - panel) - before.begin() - 1);
                if (end == i && room < most) {
                    ++block;
                    room = most;
                    continue;
                }
                end = std::max(end, i + 1);
                use(block, p, i, end);
                room -= panel + before[end] - before[i];
                i = end;
            }
        return block + 1;
    };
    double low = before.back() / blocks, high = 2 * (low + panel);
    const auto blocks_for = [&](double most) { return deal(most, [](auto...) {}); };
    while (blocks_for(high) > blocks) high *= 2;
    for (int i = 0; i < 12; ++i) {
        const double middle = (low + high) / 2;
        (blocks_for(middle) > blocks ? low : high) = middle;
    }

    Tiles2dShares s;
    s.tile_of_chunk.assign(c.entries.size(), -1);
    deal(high, [&](int block, std::size_t p, std::size_t begin, std::size_t end) {
        s.share_ptr.resize(static_cast<std::size_t>(block) + 1,
                           static_cast<std::int32_t>(s.share.size()));
        const std::int64_t slot = static_cast<std::int64_t>(p) * c.panel_slots;
        s.share.push_back({static_cast<std::int32_t>(slot),
                           static_cast<std::int32_t>(std::min(c.panel_slots, c.slots - slot)),
                           static_cast<std::int32_t>(s.tile.size()), 0, 0});
        std::int64_t next = -1;  // the first chunk that the tile cannot reach
        for (std::size_t i = begin; i < end; ++i) {
            const std::int64_t chunk = some[i], at = chunk % c.chunks;
            if (chunk >= next) {
                next = chunk + most_chunks;
                ++s.share.back().tiles;
                s.tile.push_back({static_cast<std::int32_t>(at * c.columns), 0});
            }
            Band& band = s.tile.back();
            band.columns =
                static_cast<std::int32_t>(std::min((at + 1) * c.columns, c.cols)) - band.column;
            s.tile_of_chunk[static_cast<std::size_t>(chunk)] =
                static_cast<std::int32_t>(s.tile.size()) - 1;
        }
    });
    s.share_ptr.resize(static_cast<std::size_t>(blocks) + 1,
                       static_cast<std::int32_t>(s.share.size()));
    return s;
}

}  // namespace sptune::cuda
