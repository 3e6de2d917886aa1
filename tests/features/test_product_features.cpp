// Features of a product, of pairs so small that all of it is looked at, and of rows that are too
// long for that.
#include "features/product.hpp"
#include "matrix/buffer.hpp"
#include "tests/features/tiny.hpp"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

namespace sptune {
namespace {

TEST(ProductFeatures, OfAPairByHand) {
    const Tiny a(2, {{{0, 1}, {1, 1}}, {{0, 1}}, {}}), b(3, {{{0, 1}, {1, 1}}, {{0, 1}, {1, 1}}});
    const ProductFeatures f = product_features(a.view(), b.view(), 3, 4);
    EXPECT_EQ(f.rows, 3);
    EXPECT_EQ(f.inner, 2);
    EXPECT_EQ(f.cols, 3);
    EXPECT_EQ(f.products, 4u + 2);
    EXPECT_EQ(f.longest_row, 4u);
    EXPECT_EQ(f.upper_entries, 3u + 2);  // three columns
    EXPECT_DOUBLE_EQ(f.products_per_row, 2);
    EXPECT_DOUBLE_EQ(f.products_cv, std::sqrt((4 + 0 + 4) / 3.0) / 2);
    EXPECT_DOUBLE_EQ(f.estimated_entries, 4);
    EXPECT_DOUBLE_EQ(f.compression, 1.5);
    EXPECT_DOUBLE_EQ(f.sampled_share, 1);
    EXPECT_EQ(count_product_entries(a.view(), b.view()), 4u);
    EXPECT_EQ(f.fingerprint, pair_fingerprint(3, 4));
}

TEST(ProductFeatures, OfARowThatIsTooLongToLookAt) {
    constexpr index_t kLength = (1 << 19) + 1;
    const Tiny a(2, {{{0, 1}, {1, 1}}});
    Buffer<std::int32_t> row_ptr(3);
    Buffer<index_t> columns(2 * kLength);
    const Buffer<double> values(2 * kLength, 1.0);
    for (std::int32_t i = 0; i < 3; ++i) row_ptr[static_cast<std::size_t>(i)] = i * kLength;
    for (const index_t first : {0, kLength})
        std::iota(columns.data() + first, columns.data() + first + kLength, 0);
    const CsrView<double> b{2, kLength, row_ptr.data(), columns.data(), values.data()};
    const ProductFeatures f = product_features(a.view(), b, 1, 2);
    EXPECT_EQ(f.sampled_share, 0);
    EXPECT_EQ(f.compression, 1) << "nothing is known";
    EXPECT_EQ(f.estimated_entries, kLength) << "no more than there are places";
}

}  // namespace
}  // namespace sptune
