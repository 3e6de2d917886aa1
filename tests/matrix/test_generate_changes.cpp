// Generated matrices with entries left out, in another order, with entries that become blocks.
#include "matrix/error.hpp"
#include "matrix/generate.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace sptune {
namespace {

Csr<double> make(std::string family, std::map<std::string, double> parameters) {
    return generate<double>({std::move(family), std::move(parameters), 3});
}

bool has(const Csr<double>& a, index_t row, index_t col) {
    const auto at = [&](index_t i) {
        return a.col_idx.data() + a.row_ptr[static_cast<std::size_t>(i)];
    };
    return std::binary_search(at(row), at(row + 1), col);
}

TEST(GenerateChanges, UnknownsMakeBlocksOfEveryEntry) {
    const Csr<double> node = make("stencil-2d-5", {{"rows", 900}});
    const Csr<double> all = make("stencil-2d-5", {{"rows", 900}, {"unknowns", 3}});
    ASSERT_EQ(all.rows, 3 * node.rows);
    ASSERT_EQ(all.nnz(), 9 * node.nnz());
    for (index_t row = 0; row < all.rows; ++row) {
        const auto at = static_cast<std::size_t>(all.row_ptr[static_cast<std::size_t>(row)]);
        const auto of = static_cast<std::size_t>(node.row_ptr[static_cast<std::size_t>(row / 3)]);
        const int length = all.row_ptr[static_cast<std::size_t>(row) + 1] - static_cast<int>(at);
        for (std::size_t k = 0; k < static_cast<std::size_t>(length); ++k)
            ASSERT_EQ(all.col_idx[at + k],
                      3 * node.col_idx[of + k / 3] + static_cast<index_t>(k % 3));
    }
}

TEST(GenerateChanges, DroppingLeavesTheDiagonalAndTheSymmetry) {
    const Csr<double> whole = make("stencil-3d-27", {{"rows", 8000}});
    const Csr<double> a = make("stencil-3d-27", {{"rows", 8000}, {"drop", 0.4}});
    const auto off = [](const Csr<double>& m) { return static_cast<double>(m.nnz() - m.rows); };
    EXPECT_NEAR(off(a) / off(whole), 0.6, 0.02);
    for (index_t row = 0; row < a.rows; ++row) {
        ASSERT_TRUE(has(a, row, row));
        for (int k = a.row_ptr[static_cast<std::size_t>(row)];
             k < a.row_ptr[static_cast<std::size_t>(row) + 1]; ++k) {
            const index_t col = a.col_idx[static_cast<std::size_t>(k)];
            ASSERT_TRUE(has(whole, row, col));
            ASSERT_TRUE(has(a, col, row)) << row << ' ' << col;
        }
    }
    EXPECT_EQ(make("banded", {{"rows", 500}, {"drop", 1}}).nnz(), 500);
}

TEST(GenerateChanges, BothTogetherDropWholeBlocks) {
    const Csr<double> node = make("banded", {{"rows", 2000}, {"drop", 0.5}});
    const Csr<double> all = make("banded", {{"rows", 2000}, {"drop", 0.5}, {"unknowns", 2}});
    EXPECT_EQ(all.nnz(), 4 * node.nnz());
}

std::vector<int> lengths(const Csr<double>& a) {
    std::vector<int> list;
    for (std::size_t i = 0; i < static_cast<std::size_t>(a.rows); ++i)
        list.push_back(a.row_ptr[i + 1] - a.row_ptr[i]);
    return list;
}

std::vector<index_t> columns(const Csr<double>& a, index_t row) {
    const auto at = [&](index_t i) {
        return a.col_idx.data() + a.row_ptr[static_cast<std::size_t>(i)];
    };
    return {at(row), at(row + 1)};
}

class Shuffle : public testing::TestWithParam<double> {};

// One permutation for rows and columns, and it is found: full rows and columns of an arrow tell
// nothing, so each row of a matrix with rows of all lengths names itself.
TEST_P(Shuffle, RenumbersRowsAndColumnsAlike) {
    constexpr index_t kRows = 1003;
    const std::map<std::string, double> shape{
        {"rows", kRows}, {"height", kRows}, {"wander", 0}};  // row i has i + 1 entries
    auto shuffled = shape;
    shuffled["shuffle"] = GetParam();
    const Csr<double> from = make("skyline", shape), to = make("skyline", shuffled);
    ASSERT_EQ(to.nnz(), from.nnz());
    const std::vector<int> length = lengths(to);
    std::vector<index_t> now(kRows, -1);  // by the old number
    const auto window = static_cast<index_t>(std::min<double>(GetParam(), kRows));
    int moved = 0;
    for (index_t row = 0; row < kRows; ++row) {
        const index_t old = length[static_cast<std::size_t>(row)] - 1;
        ASSERT_EQ(now[static_cast<std::size_t>(old)], -1);
        now[static_cast<std::size_t>(old)] = row;
        ASSERT_EQ(old / window, row / window);
        moved += old != row;
    }
    EXPECT_GT(moved, window == 2 ? kRows / 3 : kRows * 3 / 4);
    for (index_t old = 0; old < kRows; ++old) {
        std::vector<index_t> expected;
        for (const index_t col : columns(from, old))
            expected.push_back(now[static_cast<std::size_t>(col)]);
        std::ranges::sort(expected);
        ASSERT_EQ(columns(to, now[static_cast<std::size_t>(old)]), expected);
    }
}

INSTANTIATE_TEST_SUITE_P(GenerateChanges, Shuffle, testing::Values(2, 7, 16, 100, 1002, 1003, 1e9),
                         [](const auto& p) {
                             return "in_windows_of_" + std::to_string(std::int64_t(p.param));
                         });

TEST(GenerateChanges, ShufflingKeepsTheDiagonalAndTheSymmetry) {
    for (const char* family : {"fem", "stencil-3d-7", "layers"}) {
        const Csr<double> from = make(family, {{"rows", 3000}, {"drop", 0.3}});
        const Csr<double> a = make(family, {{"rows", 3000}, {"drop", 0.3}, {"shuffle", 256}});
        std::vector<int> before = lengths(from), after = lengths(a);
        EXPECT_NE(before, after);
        std::ranges::sort(before), std::ranges::sort(after);
        EXPECT_EQ(before, after) << family;
        for (index_t row = 0; row < a.rows; ++row) {
            ASSERT_TRUE(has(a, row, row));
            for (const index_t col : columns(a, row)) ASSERT_TRUE(has(a, col, row)) << family;
        }
    }
    const Csr<double> a = make("stencil-2d-5", {{"rows", 900}, {"shuffle", 1e9}});
    for (std::size_t k = 0, row = 0; k < a.values.size(); ++k) {
        while (static_cast<std::size_t>(a.row_ptr[row + 1]) <= k) ++row;
        ASSERT_EQ(a.values[k], static_cast<std::size_t>(a.col_idx[k]) == row ? 4 : -1);
    }
}

TEST(GenerateChanges, ShufflingMovesTheRowsOfRectangles) {
    const std::map<std::string, double> shape{{"rows", 600}, {"cols", 90}};
    auto shuffled = shape;
    shuffled["shuffle"] = 1e9;
    const Csr<double> from = make("runs", shape), to = make("runs", shuffled);
    std::vector<std::vector<index_t>> before, after;
    for (index_t row = 0; row < 600; ++row)
        before.push_back(columns(from, row)), after.push_back(columns(to, row));
    EXPECT_NE(before, after);
    std::ranges::sort(before), std::ranges::sort(after);
    EXPECT_EQ(before, after);
}

TEST(GenerateChanges, ShufflingKeepsBlocksWhole) {
    const Csr<double> node = make("local", {{"rows", 700}, {"shuffle", 64}});
    const Csr<double> all = make("local", {{"rows", 700}, {"shuffle", 64}, {"unknowns", 3}});
    ASSERT_EQ(all.nnz(), 9 * node.nnz());
    for (index_t row = 0; row < all.rows; ++row) {
        std::vector<index_t> expected;
        for (const index_t col : columns(node, row / 3))
            expected.insert(expected.end(), {3 * col, 3 * col + 1, 3 * col + 2});
        ASSERT_EQ(columns(all, row), expected);
    }
}

TEST(GenerateChanges, ShufflingDependsOnTheSeed) {
    const auto made = [](double window, std::uint64_t seed) {
        const auto a =
            generate<double>({"stencil-1d-3", {{"rows", 500}, {"shuffle", window}}, seed});
        return std::vector<index_t>(a.col_idx.begin(), a.col_idx.end());
    };
    EXPECT_EQ(made(50, 1), made(50, 1));
    EXPECT_NE(made(50, 1), made(50, 2));
    EXPECT_EQ(made(0, 1), made(1, 1));
    EXPECT_EQ(made(0, 1), made(0, 2));
    EXPECT_EQ(made(500, 1), made(2e9, 1));
}

TEST(GenerateChanges, RefusesWhatCannotBe) {
    EXPECT_THROW(make("banded", {{"shuffle", -1}}), UsageError);
    EXPECT_THROW(make("banded", {{"shuffle", 2.5}}), UsageError);
    EXPECT_THROW(make("banded", {{"shuffle", 3e9}}), UsageError);

    EXPECT_THROW(make("banded", {{"drop", 1.5}}), UsageError);
    EXPECT_THROW(make("banded", {{"unknowns", 0}}), UsageError);
    EXPECT_THROW(make("banded", {{"unknowns", 2.5}}), UsageError);
    EXPECT_THROW(make("wheel", {{"rows", 2e9}, {"unknowns", 2}}), UsageError);
}

}  // namespace
}  // namespace sptune
