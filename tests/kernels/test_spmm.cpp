// Several vectors at once against the reference, on awkward matrices and in all orders.
#include "kernels/spmm/cpu.hpp"
#include "tests/kernels/many_vectors.hpp"

#include <cstring>

#include <gtest/gtest.h>

namespace sptune {
namespace {

template <class Types>
class Spmm : public ::testing::Test {};
using AllTypes = ::testing::Types<std::pair<float, std::int32_t>, std::pair<float, std::int64_t>,
                                  std::pair<double, std::int32_t>, std::pair<double, std::int64_t>>;
TYPED_TEST_SUITE(Spmm, AllTypes);

TYPED_TEST(Spmm, EqualsTheReference) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    ManyScratch<T> scratch;  // is used again and again
    for (const auto& c : awkward<T, P>()) {
        for (const std::size_t count : {1, 2, 3, 5, 8, 9, 16, 31, 33, 70})
            for (const int order : {0, 1, 2, 3}) {
                const std::size_t gap = (count + static_cast<std::size_t>(order)) % 2 ? 5 : 0;
                const T alpha = order == 1 ? T(-1.5) : T(1), beta = gap ? T(0.5) : T(0);
                const ManyVectors<T, P> v(c, count, gap, order & 1, order & 2, beta);
                multiply_many(c.a.view(), alpha, v.x.template vectors<const T>(), beta,
                              v.y.template vectors<T>(), count, scratch, count % 3 ? 1 : 3);
                ASSERT_EQ(v.wrong(c, alpha, beta), "") << "order " << order << ", gap " << gap;
            }
    }
}

TYPED_TEST(Spmm, OneXForAllAndVectorsThatOverlap) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const auto c = make<T, P>("", 50, random_rows(60, 50, 5, 4));
    ManyScratch<T> scratch;
    Buffer<T> y(3 * 60);
    multiply_many(c.a.view(), T{1}, Vectors<const T>::one_by_one(c.x.data(), 0), T{0},
                  Vectors<T>::one_by_one(y.data(), 60), 3, scratch, 2);
    for (index_t i = 0; i < 60; ++i)
        for (index_t j = 0; j < 3; ++j) ASSERT_TRUE(c.accepts(i, 1, 0, y[i + 60 * j])) << i;
    // Each begins an entry behind the one before.
    Buffer<T> longer(52), one(60);
    for (std::size_t i = 0; i < 52; ++i) longer[i] = c.x[i % 50];
    multiply_many(c.a.view(), T{1}, Vectors<const T>::one_by_one(longer.data(), 1), T{0},
                  Vectors<T>::one_by_one(y.data(), 60), 3, scratch, 2);
    for (std::size_t j = 0; j < 3; ++j) {
        multiply_many(c.a.view(), T{1}, Vectors<const T>::one_by_one(longer.data() + j, 50), T{0},
                      Vectors<T>::one_by_one(one.data(), 60), 1, scratch, 1);
        for (std::size_t i = 0; i < 60; ++i)
            ASSERT_NEAR(y[i + 60 * j], one[i], 20 * std::numeric_limits<T>::epsilon()) << i;
    }
}

TYPED_TEST(Spmm, RepeatsItself) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    Rows rows = random_rows(3000, 3000, 9, 5);
    rows[1000] = every(3000);  // several threads share it
    const auto c = make<T, P>("", 3000, rows);
    constexpr std::size_t kCount = 11;
    const Block<T> x(3000, kCount, 0, true), once(3000, kCount, 0, true),
        again(3000, kCount, 0, true);
    for (std::size_t i = 0; i < x.room; ++i) x.memory.data()[i] = c.x[(7 * i) % 3000];
    ManyScratch<T> scratch;
    for (const auto* y : {&once, &again})
        multiply_many(c.a.view(), T{1}, x.template vectors<const T>(), T{0},
                      y->template vectors<T>(), kCount, scratch, 4);
    EXPECT_EQ(std::memcmp(once.memory.data(), again.memory.data(), once.room * sizeof(T)), 0);
    EXPECT_LE(scratch.bytes(), most_scratch_bytes<T>(3000, true, 4));
}

TYPED_TEST(Spmm, TakesNoMoreMemoryThanItSays) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const auto c = make<T, P>("", 700, random_rows(40, 700, 30, 6));
    for (const bool by_rows : {false, true})
        for (const std::size_t count : {1, 7, 40, 100}) {
            const Block<T> x(700, count, 0, by_rows), y(40, count, 0, by_rows);
            ManyScratch<T> scratch;
            multiply_many(c.a.view(), T{1}, x.template vectors<const T>(), T{0},
                          y.template vectors<T>(), count, scratch, 3);
            EXPECT_LE(scratch.bytes(), most_scratch_bytes<T>(700, by_rows, 3)) << count;
        }
}

TEST(SpmmRows, NoneNeedNoArrays) {
    ManyScratch<double> scratch;
    multiply_many(CsrView<double, int>{0, 5, nullptr, nullptr, nullptr, 0}, 1.0,
                  Vectors<const double>::row_by_row(nullptr, 3), 0.0,
                  Vectors<double>::row_by_row(nullptr, 3), 3, scratch, 2);
}

}  // namespace
}  // namespace sptune
