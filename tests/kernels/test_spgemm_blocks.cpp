// Products of blocked matrices: every search, both outputs, plain and saturating.
#include "kernels/spgemm/blocks.hpp"
#include "matrix/error.hpp"
#include "tests/kernels/spgemm_cases.hpp"

#include <algorithm>

#include <gtest/gtest.h>

namespace sptune {
namespace {

constexpr BlockSearch kSearches[] = {BlockSearch::rowwise, BlockSearch::two_pointers,
                                     BlockSearch::binary};

/// Entry (i, j) of a blocked matrix and whether its pattern has it.
template <class V>
std::pair<V, bool> entry(const BlockCsr<V>& c, index_t i, index_t j) {
    for (auto k = c.ptr[i / c.m]; k < c.ptr[i / c.m + 1]; ++k)
        if (c.col[k] == j / c.m)
            return {c.values[(k * c.m + i % c.m) * c.m + j % c.m],
                    c.pattern[k * c.m + i % c.m] >> (j % c.m) & 1};
    return {V{0}, false};
}

template <class V>
BlockCsr<V> random_blocks(index_t rows, index_t cols, int m, double mean, unsigned seed,
                          V (*value)(std::mt19937&)) {
    const Rows pattern = random_rows(rows, cols, mean, seed);
    std::mt19937 random(seed);
    const auto csr = make<float, std::int32_t>("", cols, pattern).a;
    const BlockCsr<float> shape = to_blocks(csr.view(), m, 1);
    BlockCsr<V> out;
    out.m = m;
    out.rows = rows, out.cols = cols;
    out.ptr = Buffer<std::int64_t>(shape.ptr.size());
    out.col = Buffer<index_t>(shape.col.size());
    out.pattern = Buffer<std::uint32_t>(shape.pattern.size());
    out.values = Buffer<V>(shape.values.size(), V{0});
    std::copy(shape.ptr.begin(), shape.ptr.end(), out.ptr.begin());
    std::copy(shape.col.begin(), shape.col.end(), out.col.begin());
    std::copy(shape.pattern.begin(), shape.pattern.end(), out.pattern.begin());
    for (std::size_t k = 0; k < out.values.size(); ++k)
        if (shape.values[k] != 0) out.values[k] = value(random);
    return out;
}

/// Σ in 128 bits, clamped.
std::uint32_t saturated(const BlockCsr<std::uint32_t>& a, const BlockCsr<std::uint32_t>& b,
                        index_t i, index_t j) {
    __extension__ unsigned __int128 sum = 0;
    for (index_t k = 0; k < a.cols; ++k)
        sum += std::uint64_t{entry(a, i, k).first} * entry(b, k, j).first;
    return sum < 0xffffffffu ? static_cast<std::uint32_t>(sum) : 0xffffffffu;
}

TEST(SpgemmBlocks, BlockingKeepsEveryEntryAndThePattern) {
    auto c = make<double, std::int32_t>("", 37, random_rows(41, 37, 6, 3));
    c.a.values[5] = 0;  // stored all the same
    for (const int m : {1, 2, 3, 4, 8, 16, 32}) {
        const BlockCsr<double> blocks = to_blocks(c.a.view(), m, 2);
        std::int64_t stored = 0;
        for (const std::uint32_t row : blocks.pattern) stored += __builtin_popcount(row);
        EXPECT_EQ(stored, c.a.nnz()) << m;
        for (index_t i = 0; i < 41; ++i)
            for (auto k = c.a.row_ptr[i]; k < c.a.row_ptr[i + 1]; ++k)
                ASSERT_EQ(entry(blocks, i, c.a.col_idx[k]), std::pair(c.a.values[k], true)) << m;
    }
}

TEST(SpgemmBlocks, PlainProductsEqualTheReference) {
    const auto a = make<double, std::int32_t>("", 61, random_rows(70, 61, 5, 4)).a;
    const auto b = make<double, std::int32_t>("", 83, random_rows(61, 83, 4, 5)).a;
    const SpgemmReference r = reference_spgemm(a.view(), b.view());
    for (const int m : {2, 4, 8, 16, 32})
        for (const BlockSearch search : kSearches) {
            const auto x = to_blocks(a.view(), m, 2), y = to_blocks(b.view(), m, 2);
            const auto full = multiply_blocks_dense<PlainMath<double>>(x, y, search, 2);
            ASSERT_EQ(full.size(), 70u * 83u);
            for (const bool dense : {false, true}) {
                const auto c = multiply_blocks<PlainMath<double>>(x, y, search, dense, 2);
                std::size_t k = 0;
                for (index_t i = 0; i < 70; ++i)
                    for (index_t j = 0; j < 83; ++j) {
                        const bool there =
                            static_cast<std::int64_t>(k) < r.row_ptr[i + 1] && r.col_idx[k] == j;
                        const double expected = there ? r.values[k] : 0;
                        const auto [value, stored] = entry(c, i, j);
                        ASSERT_EQ(stored, there) << m << " (" << i << ", " << j << ")";
                        ASSERT_NEAR(value, expected, 1e-13);
                        ASSERT_NEAR(full[static_cast<std::size_t>(i) * 83 + j], expected, 1e-13);
                        k += there;
                    }
            }
        }
}

TEST(SpgemmBlocks, UnsignedSumsSaturateAndNeverWrap) {
    // Small numbers, whose sums fit, and huge ones, two of whose products pass 64 bits.
    const auto small = [](std::mt19937& random) {
        return static_cast<std::uint32_t>(random() % 9);
    };
    const auto mixed = [](std::mt19937& random) {
        return random() % 4 ? static_cast<std::uint32_t>(random() % 70'000) : 0xffffffffu;
    };
    int saturates = 0, fits = 0;
    for (const int m : {2, 4, 8, 16, 32})
        for (const bool huge : {false, true}) {
            const auto a = random_blocks<std::uint32_t>(40, 50, m, 6, 6, huge ? +mixed : +small);
            const auto b = random_blocks<std::uint32_t>(50, 45, m, 6, 7, huge ? +mixed : +small);
            for (const BlockSearch search : kSearches) {
                const auto c = multiply_blocks<SaturatingMath>(a, b, search, false, 2);
                const auto full = multiply_blocks_dense<SaturatingMath>(a, b, search, 2);
                for (index_t i = 0; i < 40; ++i)
                    for (index_t j = 0; j < 45; ++j) {
                        const std::uint32_t expected = saturated(a, b, i, j);
                        ASSERT_EQ(entry(c, i, j).first, expected) << m;
                        ASSERT_EQ(full[static_cast<std::size_t>(i) * 45 + j], expected) << m;
                        (expected == 0xffffffffu ? saturates : fits) += expected > 0;
                    }
            }
        }
    EXPECT_GT(saturates, 0);
    EXPECT_GT(fits, 0);
}

TEST(SpgemmBlocks, WhatCannotBeMultipliedIsRefused) {
    const auto a = make<double, std::int32_t>("", 6, random_rows(6, 6, 2, 8)).a;
    using Math = PlainMath<double>;
    const auto two = to_blocks(a.view(), 2, 1), three = to_blocks(a.view(), 3, 1),
               four = to_blocks(a.view(), 4, 1);
    EXPECT_THROW(multiply_blocks<Math>(three, three, BlockSearch::rowwise, false, 1), UsageError);
    EXPECT_THROW(multiply_blocks<Math>(two, four, BlockSearch::rowwise, false, 1), UsageError);
}

}  // namespace
}  // namespace sptune
