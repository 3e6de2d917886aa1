// Products of block matrices by way of the tuner: on the GPU as on the CPU.
#include "matrix/counter_random.hpp"
#include "tests/gpu/needs_gpu.hpp"
#include "tuner/multiply_blocks.hpp"

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

namespace sptune {
namespace {

template <class V>
BlockCsr<V> random_blocks(index_t rows, index_t cols, int m, double share, std::uint64_t seed) {
    BlockCsr<V> a;
    a.m = m;
    a.rows = rows, a.cols = cols;
    std::vector<std::int64_t> ptr{0};
    std::vector<index_t> col;
    std::vector<V> values;
    std::vector<std::uint32_t> pattern;
    Stream random(seed, 0);
    for (index_t i = 0; i < a.block_rows(); ++i) {
        for (index_t j = 0; j < a.block_cols(); ++j) {
            if (random.uniform() > share) continue;
            col.push_back(j);
            for (int k = 0; k < m * m; ++k) {
                const bool inside = i * m + k / m < rows && j * m + k % m < cols;
                if (k % m == 0) pattern.push_back(0);
                pattern.back() |= static_cast<std::uint32_t>(inside) << (k % m);
                V value{0};
                if constexpr (std::is_same_v<V, std::uint32_t>)
                    value = static_cast<V>(random.next() >> (i % 2 ? 32 : 50));
                else
                    value = static_cast<V>(random.uniform() - 0.5);
                values.push_back(inside ? value : V{0});
            }
        }
        ptr.push_back(static_cast<std::int64_t>(col.size()));
    }
    const auto copy = []<class N>(const std::vector<N>& from) {
        Buffer<N> to(from.size());
        std::copy(from.begin(), from.end(), to.begin());
        return to;
    };
    a.ptr = copy(ptr), a.col = copy(col), a.values = copy(values), a.pattern = copy(pattern);
    return a;
}

template <class V>
void expect_same(const tuner::MultipliedBlocks<V>& on_cpu, const tuner::MultipliedBlocks<V>& done) {
    const BlockCsr<V>&cpu = on_cpu.c, &gpu = done.c;
    EXPECT_GT(done.multiply_us, 0);
    ASSERT_EQ(cpu.blocks(), gpu.blocks());
    EXPECT_TRUE(std::equal(cpu.ptr.begin(), cpu.ptr.end(), gpu.ptr.begin()));
    EXPECT_TRUE(std::equal(cpu.col.begin(), cpu.col.end(), gpu.col.begin()));
    // On the CPU what is stored follows from the products, here from the block.
    for (std::size_t k = 0; k < cpu.pattern.size(); ++k)
        ASSERT_EQ(cpu.pattern[k] & ~gpu.pattern[k], 0u) << k;
    for (std::size_t k = 0; k < cpu.values.size(); ++k) {
        if constexpr (std::is_same_v<V, std::uint32_t>)
            ASSERT_EQ(cpu.values[k], gpu.values[k]) << cpu.m << ", " << k;
        else
            ASSERT_NEAR(cpu.values[k], gpu.values[k], 420 * std::numeric_limits<V>::epsilon())
                << cpu.m << ", " << k;
    }
}

template <class V>
class BlockProduct : public testing::Test {};
using Values = testing::Types<float, double, std::uint32_t>;
TYPED_TEST_SUITE(BlockProduct, Values);

TYPED_TEST(BlockProduct, IsTheSameOnBothDevices) {
    SPTUNE_NEEDS_GPU();
    using V = TypeParam;
    for (const int m : {2, 4, 8, 16, 32})
        for (const BlockSearch search :
             {BlockSearch::rowwise, BlockSearch::two_pointers, BlockSearch::binary}) {
            const auto a = random_blocks<V>(301, 420, m, 0.2, 5);
            const auto b = random_blocks<V>(420, 167, m, 0.3, 6);
            const auto cpu = tuner::multiply_block_matrices(a, b, Backend::cpu, search, 2);
            expect_same(cpu, tuner::multiply_block_matrices(a, b, Backend::cuda, search, 0));
        }
}

TYPED_TEST(BlockProduct, IsTheSameByTiles) {
    SPTUNE_NEEDS_GPU();
    using V = TypeParam;
    for (const double share : {0.1, 0.7}) {
        const auto a = random_blocks<V>(301, 420, 8, share, 5);
        const auto b = random_blocks<V>(420, 167, 8, share, 6);
        const auto cpu =
            tuner::multiply_block_matrices(a, b, Backend::cpu, BlockSearch::rowwise, 2);
        expect_same(cpu, tuner::multiply_block_tiles(a, b));
    }
}

TEST(BlockProductLimits, EmptyFactorsAndForeignBlocks) {
    SPTUNE_NEEDS_GPU();
    const auto none = random_blocks<float>(64, 64, 4, -1, 1);
    const auto c =
        tuner::multiply_block_matrices(none, none, Backend::cuda, BlockSearch::rowwise, 0).c;
    EXPECT_EQ(c.blocks(), 0);
    EXPECT_EQ(c.ptr.size(), 17u);
    const auto three = random_blocks<float>(60, 60, 3, 0.5, 1);
    EXPECT_THROW(
        tuner::multiply_block_matrices(three, three, Backend::cuda, BlockSearch::rowwise, 0),
        UsageError);
}

}  // namespace
}  // namespace sptune
