// How tiles of hub columns are dealt out, and columns grouped. Needs no GPU.
#include "kernels/spmv/hub/popularity.hpp"
#include "kernels/spmv/hub/shares.hpp"

#include <gtest/gtest.h>

namespace sptune::cuda {
namespace {

constexpr int kColumns = 16384;
constexpr std::int64_t kFetch = kColumns / 512;

/// The most work of a block.
std::int64_t longest(const HubShares& s) {
    std::int64_t most = 0;
    for (std::size_t b = 0; b + 1 < s.share_ptr.size(); ++b) {
        std::int64_t work = 0;
        for (auto i = s.share_ptr[b]; i < s.share_ptr[b + 1]; ++i) {
            const HubShare& share = s.share[static_cast<std::size_t>(i)];
            work += kFetch + share.end - share.begin;
        }
        most = std::max(most, work);
    }
    return most;
}

/// Every tile once, in order, with the columns of its band.
void expect_all(const HubShares& s, const std::vector<std::int64_t>& tile, std::int64_t taken,
                int blocks) {
    ASSERT_EQ(s.share_ptr.size(), static_cast<std::size_t>(blocks) + 1);
    EXPECT_EQ(s.share_ptr.front(), 0);
    EXPECT_EQ(s.share_ptr.back(), static_cast<std::int32_t>(s.share.size()));
    EXPECT_TRUE(std::is_sorted(s.share_ptr.begin(), s.share_ptr.end()));
    std::int64_t next = 0;
    for (const HubShare& share : s.share) {
        EXPECT_EQ(share.begin, next);
        EXPECT_GT(share.end, share.begin);
        next = share.end;
        const auto band = static_cast<std::size_t>(share.column / kColumns);
        EXPECT_EQ(share.column % kColumns, 0);
        EXPECT_GE(share.begin, tile[band]);
        EXPECT_LE(share.end, tile[band + 1]);
        EXPECT_EQ(share.columns, std::min<std::int64_t>(kColumns, taken - share.column));
    }
    EXPECT_EQ(next, tile.back());
}

TEST(HubShares, GiveEachBlockTheSame) {
    const std::vector<std::int64_t> tile{0, 44'000, 51'000, 53'000, 54'000};
    const HubShares s = share_tiles(tile, kColumns, 4 * kColumns, 132);
    expect_all(s, tile, 4 * kColumns, 132);
    // All work, with the fetches of four bands by some blocks twice.
    EXPECT_LE(longest(s), (54'000 + (132 + 3) * kFetch) / 132 + 2);
}

TEST(HubShares, PassOverBandsWithoutEntries) {
    const std::vector<std::int64_t> tile{0, 10, 10, 10, 13};
    const std::int64_t taken = 3 * kColumns + 5;
    const HubShares s = share_tiles(tile, kColumns, taken, 8);
    expect_all(s, tile, taken, 8);
}

TEST(HubShares, LeaveBlocksWithoutWork) {
    const std::vector<std::int64_t> tile{0, 2};
    const HubShares s = share_tiles(tile, kColumns, 100, 132);
    expect_all(s, tile, 100, 132);
    EXPECT_EQ(s.share.size(), 2u);
}

TEST(HubShares, OneBlockDoesAll) {
    const std::vector<std::int64_t> tile{0, 100, 250, 251};
    const HubShares s = share_tiles(tile, kColumns, 3 * kColumns, 1);
    expect_all(s, tile, 3 * kColumns, 1);
    EXPECT_EQ(s.share.size(), 3u);
}

TEST(ColumnGroups, RiseWithTheNumberOfEntries) {
    std::uint32_t before = 0;
    for (std::uint32_t n = 1; n < 5000; ++n) {
        const std::uint32_t group = ColumnGroups::group_of(n);
        EXPECT_LE(group, before + 1) << n;
        EXPECT_GE(group, before) << n;
        EXPECT_TRUE(n > ColumnGroups::kExact || group == n);
        before = group;
    }
    EXPECT_EQ(ColumnGroups::group_of(~0u), ColumnGroups::kGroups - 1);
    EXPECT_LT(ColumnGroups::group_of(1000), ColumnGroups::group_of(1200));
}

TEST(ColumnGroups, ShareTheEntries) {
    ColumnGroups g;
    const auto add = [&](std::uint32_t count, unsigned long long columns) {
        g.columns[ColumnGroups::group_of(count)] += columns;
        g.entries[ColumnGroups::group_of(count)] += columns * count;
    };
    add(0, 1000);
    add(1, 100);
    add(10, 40);
    add(500, 1);
    EXPECT_EQ(g.share_of(0), 0);
    EXPECT_DOUBLE_EQ(g.share_of(1), 0.5);
    EXPECT_DOUBLE_EQ(g.share_of(21), 0.7);
    EXPECT_DOUBLE_EQ(g.share_of(41), 0.9);
    EXPECT_DOUBLE_EQ(g.share_of(91), 0.95);
    EXPECT_DOUBLE_EQ(g.share_of(1'000'000), 1);
    EXPECT_EQ(ColumnGroups{}.share_of(5), 0) << "no entries";
}

}  // namespace
}  // namespace sptune::cuda
