#include "cli/product_pair.hpp"

#include <gtest/gtest.h>

namespace sptune::cli {
namespace {

/// 2 × 3 and 3 × 3.
constexpr int kWidePtr[] = {0, 2, 3}, kSquarePtr[] = {0, 2, 3, 5};
constexpr index_t kCols[] = {0, 2, 1, 0, 2};
constexpr double kValues[] = {1, 2, 3, 4, 5};

struct Seen {
    IndexType index;
    std::int64_t rows, inner, cols;
    std::uint64_t entries;
    bool same;
};

Seen look(CsrView<double> a, std::uint64_t most_narrow) {
    return with_product(
        a, 1, 1,
        []<class T, class P>(CsrView<T, P> x, CsrView<T, P> y, const ProductFeatures& product,
                             double features_us) {
            EXPECT_GT(features_us, 0);
            EXPECT_EQ(product.inner, x.cols);
            return Seen{
                index_type_of<P>(),    x.rows, y.rows, y.cols, count_product_entries(x, y, 2),
                x.row_ptr == y.row_ptr};
        },
        most_narrow);
}

// C of the square matrix has rows {0, 2}, {1}, {0, 2}: 5 entries, of which the upper bound is 7.
TEST(ProductPair, PointersAreAsNarrowAsTheEntriesOfCAllow) {
    const CsrView<double> square{3, 3, kSquarePtr, kCols, kValues};
    const Seen narrow = look(square, 5);
    EXPECT_EQ(narrow.index, IndexType::i32);
    EXPECT_EQ(narrow.entries, 5u);
    EXPECT_TRUE(narrow.same);
    const Seen wide = look(square, 4);
    EXPECT_EQ(wide.index, IndexType::i64);
    EXPECT_EQ(wide.entries, 5u);
    EXPECT_TRUE(wide.same);  // A·A: there is one copy
}

TEST(ProductPair, RectangularMatricesMeetTheirTranspose) {
    const CsrView<double> a{2, 3, kWidePtr, kCols, kValues};
    for (const std::uint64_t most : {kMostNarrow, std::uint64_t{1}}) {
        const Seen seen = look(a, most);
        EXPECT_EQ(seen.index, most == 1 ? IndexType::i64 : IndexType::i32);
        EXPECT_EQ(seen.inner, 3);
        EXPECT_EQ(seen.cols, 2);
        EXPECT_EQ(seen.entries, 2u);  // the rows have no column in common
        EXPECT_FALSE(seen.same);
    }
}

}  // namespace
}  // namespace sptune::cli
