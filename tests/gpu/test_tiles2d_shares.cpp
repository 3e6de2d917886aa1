// How two-dimensional tiles are cut and dealt out. Needs no GPU.
#include "kernels/spmv/tiles2d/shares.hpp"

#include <numeric>
#include <random>

#include <gtest/gtest.h>

namespace sptune::cuda {
namespace {

constexpr std::int64_t kChunk = 16, kMostChunks = 8;

struct Cut {
    std::vector<std::uint32_t> entries;
    Chunks chunks;
    int blocks;
    Tiles2dShares shares;

    Cut(std::vector<std::uint32_t> of_chunks, std::int64_t panels, std::int64_t cols,
        std::int64_t slots, int to)
        : entries(std::move(of_chunks)),
          chunks{entries, static_cast<std::int64_t>(entries.size()) / panels,
                 kChunk,  cols,
                 slots,   (slots + panels - 1) / panels},
          blocks(to),
          shares(share_tiles2d(chunks, kMostChunks, blocks)) {}

    /// The share that has the tile.
    std::size_t share_of(std::int32_t tile) const {
        const auto next = std::ranges::upper_bound(shares.share, tile, {}, &PanelShare::tile);
        return static_cast<std::size_t>(next - shares.share.begin()) - 1;
    }
    std::int64_t panel_of(const PanelShare& s) const { return s.slot / chunks.panel_slots; }

    /// Every chunk with entries lies in one tile, and that in the share of its panel.
    void expect_whole() const {
        ASSERT_EQ(shares.share_ptr.size(), static_cast<std::size_t>(blocks) + 1);
        EXPECT_EQ(shares.share_ptr.front(), 0);
        EXPECT_EQ(shares.share_ptr.back(), static_cast<std::int32_t>(shares.share.size()));
        EXPECT_TRUE(std::ranges::is_sorted(shares.share_ptr));
        std::int32_t next = 0;
        for (const PanelShare& s : shares.share) {
            EXPECT_EQ(s.tile, next);
            EXPECT_GT(s.tiles, 0);
            next += s.tiles;
            EXPECT_EQ(s.slot % chunks.panel_slots, 0);
            EXPECT_EQ(s.slots, std::min(chunks.panel_slots, chunks.slots - s.slot));
        }
        EXPECT_EQ(next, static_cast<std::int32_t>(shares.tile.size()));
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const std::int32_t t = shares.tile_of_chunk[i];
            ASSERT_EQ(t >= 0, entries[i] > 0) << i;
            if (t < 0) continue;
            const Band& band = shares.tile[static_cast<std::size_t>(t)];
            const std::int64_t at = static_cast<std::int64_t>(i) % chunks.chunks * kChunk;
            EXPECT_LE(band.column, at);
            EXPECT_GE(band.column + band.columns, std::min(at + kChunk, chunks.cols));
            EXPECT_LE(band.columns, kMostChunks * kChunk);
            EXPECT_LE(band.column + band.columns, chunks.cols);
            const auto share = share_of(t);
            EXPECT_EQ(panel_of(shares.share[share]), static_cast<std::int64_t>(i) / chunks.chunks);
        }
    }
    /// Entries of the block with the most.
    std::int64_t most() const {
        std::vector<std::int64_t> of_share(shares.share.size());
        for (std::size_t i = 0; i < entries.size(); ++i)
            if (entries[i]) of_share[share_of(shares.tile_of_chunk[i])] += entries[i];
        std::int64_t most = 0;
        for (std::size_t b = 0; b + 1 < shares.share_ptr.size(); ++b)
            most = std::max(
                most, std::accumulate(of_share.begin() + shares.share_ptr[b],
                                      of_share.begin() + shares.share_ptr[b + 1], std::int64_t{0}));
        return most;
    }
};

TEST(Tiles2dShares, GiveEachBlockTheSameOfScatteredEntries) {
    const Cut cut(std::vector<std::uint32_t>(7 * 100, 5000), 7, 100 * kChunk - 3, 7 * 50 - 2, 12);
    cut.expect_whole();
    EXPECT_LE(cut.most(), 7 * 100 * 5000 / 12 * 1.03);
}

TEST(Tiles2dShares, GiveEachBlockTheSameOfSkewedEntries) {
    std::mt19937 random(1);
    std::vector<std::uint32_t> entries(9 * 200);
    for (std::size_t i = 0; i < entries.size(); ++i)
        entries[i] =
            random() % 3 ? static_cast<std::uint32_t>(random() % 200'000 / (i % 200 + 1)) : 0;
    const Cut cut(entries, 9, 200 * kChunk, 9 * 40, 20);
    cut.expect_whole();
    const auto all = std::accumulate(entries.begin(), entries.end(), std::int64_t{0});
    const auto largest = std::int64_t{*std::ranges::max_element(entries)};
    EXPECT_LE(cut.most(), all / 20 + largest);
}

TEST(Tiles2dShares, FetchNothingWhereNoEntriesAre) {
    std::vector<std::uint32_t> entries(2 * 60);
    entries[3] = entries[5] = 10;  // one tile
    entries[11] = 10;              // beyond its reach
    entries[60 + 59] = 10;         // the last of the other panel
    const Cut cut(entries, 2, 60 * kChunk - 5, 80, 1);
    cut.expect_whole();
    ASSERT_EQ(cut.shares.tile.size(), 3u);
    EXPECT_EQ(cut.shares.tile[0].column, 3 * kChunk);
    EXPECT_EQ(cut.shares.tile[0].columns, 3 * kChunk);
    EXPECT_EQ(cut.shares.tile[1].column, 11 * kChunk);
    EXPECT_EQ(cut.shares.tile[2].columns, kChunk - 5);
}

TEST(Tiles2dShares, LeaveBlocksWithoutWork) {
    std::vector<std::uint32_t> entries(5);
    entries[4] = 1;
    const Cut cut(entries, 1, 5 * kChunk, 10, 8);
    cut.expect_whole();
    const Cut none(std::vector<std::uint32_t>(5), 1, 5 * kChunk, 10, 8);
    none.expect_whole();
    EXPECT_TRUE(none.shares.share.empty());
}

}  // namespace
}  // namespace sptune::cuda
