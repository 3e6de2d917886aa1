// Block products in all three arithmetics against a plain loop over the blocks.
#include "kernels/spgemm/blocks/product.hpp"
#include "kernels/spgemm/blocks/tiles.hpp"
#include "matrix/counter_random.hpp"
#include "tests/gpu/needs_gpu.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

namespace sptune::cuda {
namespace {

/// A block matrix on the host, dense, with what it takes to make it sparse again.
template <class V>
struct Dense {
    index_t rows, cols;
    std::vector<V> values;
    V at(index_t i, index_t j) const { return values[static_cast<std::size_t>(i) * cols + j]; }
};

/// Each number of each value type, from random bits.
template <class V>
V number(std::uint64_t bits, bool large) {
    if constexpr (std::is_same_v<V, std::uint32_t>)
        return static_cast<V>(large ? bits : bits % 5000);
    else
        return static_cast<V>(signed_unit(bits));
}

/// About `share` of all blocks. The last block row and column may stick out of the matrix; what is
/// outside is 0, as blocks_of() makes it.
template <class V>
std::pair<BlockMatrix<V>, Dense<V>> random_blocks(index_t rows, index_t cols, int m, double share,
                                                  std::uint64_t seed, bool large) {
    BlockMatrix<V> a;
    a.m = m, a.rows = rows, a.cols = cols;
    Dense<V> d{rows, cols, std::vector<V>(static_cast<std::size_t>(rows) * cols)};
    std::vector<std::int64_t> row_ptr{0};
    std::vector<index_t> col;
    std::vector<V> values, stored;
    Stream random(seed, 0);
    for (index_t i = 0; i < a.block_rows(); ++i) {
        for (index_t j = 0; j < a.block_cols(); ++j) {
            if (random.uniform() > share) continue;
            col.push_back(j);
            for (int k = 0; k < m * m; ++k) {
                const index_t r = i * m + k / m, c = j * m + k % m;
                const bool inside = r < rows && c < cols;
                values.push_back(inside ? number<V>(random.next(), large) : V{0});
                stored.push_back(inside ? V{1} : V{0});
                if (inside) d.values[static_cast<std::size_t>(r) * cols + c] = values.back();
            }
        }
        row_ptr.push_back(static_cast<std::int64_t>(col.size()));
    }
    a.row_ptr = DeviceBuffer<std::int64_t>(row_ptr.data(), row_ptr.size());
    a.col = DeviceBuffer<index_t>(col.data(), col.size());
    a.values = DeviceBuffer<V>(values.data(), values.size());
    a.stored = DeviceBuffer<V>(stored.data(), stored.size());
    return {std::move(a), std::move(d)};
}

/// What entry (i, j) of the product is, and how far from it rounding may lead.
template <class V>
std::pair<double, double> expected(const Dense<V>& a, const Dense<V>& b, index_t i, index_t j) {
    if constexpr (std::is_same_v<V, std::uint32_t>) {
        constexpr std::uint64_t most = 0xffffffffu;
        std::uint64_t sum = 0;
        for (index_t k = 0; k < a.cols && sum < most; ++k)
            sum += std::min(most, static_cast<std::uint64_t>(a.at(i, k)) * b.at(k, j));
        return {static_cast<double>(std::min(most, sum)), 0};
    } else {
        double sum = 0, size = 0;
        for (index_t k = 0; k < a.cols; ++k) {
            const double product = static_cast<double>(a.at(i, k)) * b.at(k, j);
            sum += product, size += std::abs(product);
        }
        return {sum, size * a.cols * std::numeric_limits<V>::epsilon()};
    }
}

template <class V>
void expect_equal(const Dense<V>& c, const Dense<V>& a, const Dense<V>& b,
                  const std::string& what) {
    for (index_t i = 0; i < c.rows; ++i)
        for (index_t j = 0; j < c.cols; ++j) {
            const auto [value, allowed] = expected(a, b, i, j);
            ASSERT_LE(std::abs(c.at(i, j) - value), allowed)
                << what << ": (" << i << ", " << j << ") is " << c.at(i, j) << ", expected "
                << value;
        }
}

template <class V>
Dense<V> download(index_t rows, index_t cols, const DeviceBuffer<V>& from) {
    const Buffer<V> host = from.to_host();
    return {rows, cols, std::vector<V>(host.begin(), host.end())};
}

#define SPTUNE_NEEDS_TILES() \
    SPTUNE_NEEDS_GPU();      \
    if (!tiles_work()) GTEST_SKIP() << "tiles need compute capability 9.0 or newer"

template <class V>
class SpgemmBlocks : public testing::Test {};
using Values = testing::Types<float, double, std::uint32_t>;
TYPED_TEST_SUITE(SpgemmBlocks, Values);

TYPED_TEST(SpgemmBlocks, EveryWalkDenseAndSparse) {
    SPTUNE_NEEDS_GPU();
    using V = TypeParam;
    for (const bool large : {false, true})
        for (const int m : {2, 4, 8, 16, 32}) {
            const auto [a, da] = random_blocks<V>(97, 130, m, 0.4, 3, large);
            const auto [b, db] = random_blocks<V>(130, 75, m, 0.5, 4, large);
            const BlockColumns columns = columns_of(b);
            const BlockPattern pattern = pattern_of_product(a, b);
            const Buffer<std::int64_t> row_ptr = pattern.row_ptr.to_host();
            const Buffer<index_t> col = pattern.col.to_host();
            for (const BlockWalk walk : {BlockWalk::merge, BlockWalk::search, BlockWalk::rows}) {
                const std::string what =
                    "m = " + std::to_string(m) + ", walk " + std::to_string(static_cast<int>(walk));
                DeviceBuffer<V> c(97 * 75);
                c.fill_bytes(0x5a);
                multiply_blocks<V>(walk, a, b, &columns, false, {nullptr, c.data()});
                expect_equal(download(97, 75, c), da, db, what + ", dense");

                DeviceBuffer<V> blocks(col.size() * static_cast<std::size_t>(m * m));
                blocks.fill_bytes(0x5a);
                multiply_blocks<V>(walk, a, b, &columns, false, {&pattern, blocks.data()});
                const Buffer<V> host = blocks.to_host();
                Dense<V> sum{97, 75, std::vector<V>(97 * 75)};
                for (index_t i = 0; i < a.block_rows(); ++i)
                    for (std::int64_t k = row_ptr[i]; k < row_ptr[i + 1]; ++k)
                        for (int n = 0; n < m * m; ++n) {
                            const index_t r = i * m + n / m, j = col[k] * m + n % m;
                            if (r < 97 && j < 75)
                                sum.values[static_cast<std::size_t>(r) * 75 + j] =
                                    host[static_cast<std::size_t>(k * m * m + n)];
                        }
                expect_equal(sum, da, db, what + ", sparse");
            }
        }
}

TYPED_TEST(SpgemmBlocks, TilesOfTensorCores) {
    SPTUNE_NEEDS_TILES();
    using V = TypeParam;
    const struct {
        index_t rows, inner, cols;
        double share;
    } cases[] = {{64, 64, 64, 1},        {300, 700, 400, 0.5}, {5, 3, 2, 1},
                 {129, 257, 1025, 0.05}, {8, 2048, 8, 0.3},    {200, 40, 100, 0}};
    for (const bool large : {false, true})
        for (const auto& s : cases) {
            const auto [a, da] = random_blocks<V>(s.rows, s.inner, kTile, s.share, 5, large);
            const auto [b, db] = random_blocks<V>(s.inner, s.cols, kTile, s.share, 6, large);
            DeviceBuffer<V> c(static_cast<std::size_t>(s.rows) * static_cast<std::size_t>(s.cols));
            c.fill_bytes(0x5a);
            multiply_tiles(tiles_of(a, Side::left), tiles_of(b, Side::right), c.data());
            expect_equal(download(s.rows, s.cols, c), da, db,
                         std::to_string(s.rows) + " x " + std::to_string(s.inner) + " x " +
                             std::to_string(s.cols));
        }
}

/// Long sums of numbers that are not negative, where a tensor core's own sums would drift: the
/// error is at most what additions rounded one after the other might make of it at random.
TEST(SpgemmTiles, LongSumsAreRoundedNotCutOff) {
    SPTUNE_NEEDS_TILES();
    constexpr index_t n = 64, inner = 32768;
    auto [a, da] = random_blocks<float>(n, inner, kTile, 1, 9, false);
    auto [b, db] = random_blocks<float>(inner, n, kTile, 1, 10, false);
    const auto positive = [](DeviceBuffer<float>& values, Dense<float>& dense) {
        Buffer<float> host = values.to_host();
        for (float& v : host) v = std::abs(v);
        values = DeviceBuffer<float>(host.data(), host.size());
        for (float& v : dense.values) v = std::abs(v);
    };
    positive(a.values, da);
    positive(b.values, db);
    DeviceBuffer<float> c(std::size_t{n} * n);
    multiply_tiles(tiles_of(a, Side::left), tiles_of(b, Side::right), c.data());
    const Dense<float> product = download(n, n, c);
    const double allowed = std::sqrt(inner) * std::numeric_limits<float>::epsilon();
    for (index_t i = 0; i < n; ++i)
        for (index_t j = 0; j < n; ++j) {
            const double value = expected(da, db, i, j).first;
            ASSERT_LE(std::abs(product.at(i, j) - value), allowed * value) << i << ", " << j;
        }
}

TYPED_TEST(SpgemmBlocks, RegroupedBlocksAreTheSameMatrix) {
    SPTUNE_NEEDS_TILES();
    using V = TypeParam;
    const auto [a, da] = random_blocks<V>(90, 110, 4, 0.3, 7, false);
    const auto [b, db] = random_blocks<V>(110, 60, 2, 0.3, 8, false);
    DeviceBuffer<V> c(90 * 60);
    multiply_tiles(tiles_of(regroup(a, kTile), Side::left),
                   tiles_of(regroup(b, kTile), Side::right), c.data());
    expect_equal(download(90, 60, c), da, db, "regrouped");
}

}  // namespace
}  // namespace sptune::cuda
