// Entries left out of generated matrices, and entries that become blocks.
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

TEST(GenerateChanges, RefusesWhatCannotBe) {
    EXPECT_THROW(make("banded", {{"drop", 1.5}}), UsageError);
    EXPECT_THROW(make("banded", {{"unknowns", 0}}), UsageError);
    EXPECT_THROW(make("banded", {{"unknowns", 2.5}}), UsageError);
    EXPECT_THROW(make("wheel", {{"rows", 2e9}, {"unknowns", 2}}), UsageError);
}

}  // namespace
}  // namespace sptune
