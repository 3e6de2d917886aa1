// Several vectors at once against the reference, on awkward matrices and in all orders.
#include "kernels/spmm/cpu.hpp"
#include "tests/kernels/many_vectors.hpp"

#include <cstring>
#include <iterator>

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
    // Every other number fills registers of some size.
    constexpr std::size_t kCounts[] = {1, 2, 3, 4, 5, 8, 6, 16, 9, 32, 20, 64, 31, 96, 33, 48, 70};
    for (const auto& c : awkward<T, P>())
        for (std::size_t n = 0; n < std::size(kCounts); ++n)
            for (const std::size_t order : {0, 1, 2, 3}) {
                const std::size_t gaps = (n + order) % 4, count = kCounts[n];
                const std::size_t x_gap = gaps & 1 ? 5 : 0, y_gap = gaps & 2 ? 5 : 0;
                const T alpha = order == 1 ? T(-1.5) : T(1);
                const T beta = (n / 4 + order) % 2 ? T(0.5) : T(0);
                const ManyVectors<T, P> v(c, count, x_gap, y_gap, order & 1, order & 2, beta);
                multiply_many(c.a.view(), alpha, v.x.template vectors<const T>(), beta,
                              v.y.template vectors<T>(), count, scratch, n % 2 ? 3 : 1);
                ASSERT_EQ(v.wrong(c, alpha, beta), "")
                    << "order " << order << ", gaps " << x_gap << " and " << y_gap;
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
    for (const std::size_t count : {8, 11, 32, 600})
        for (const bool by_rows : {false, true}) {
            ManyScratch<T> scratch;
            const ManyVectors<T, P> once(c, count, 0, by_rows, by_rows, 0),
                again(c, count, 0, by_rows, by_rows, 0);
            for (const auto* v : {&once, &again})
                multiply_many(c.a.view(), T{1}, v->x.template vectors<const T>(), T{0},
                              v->y.template vectors<T>(), count, scratch, 4);
            EXPECT_EQ(once.wrong(c, 1, 0), "");
            EXPECT_EQ(
                std::memcmp(once.y.memory.data(), again.y.memory.data(), once.y.room * sizeof(T)),
                0);
            EXPECT_LE(scratch.bytes(), most_scratch_bytes<T>(3000, by_rows, 4));
        }
}

/// Columns of one array: what is read beyond a row of x, and not written beyond one of y, is the
/// other's, also where that is another thread's.
TYPED_TEST(Spmm, SharesAnArray) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const auto c = make<T, P>("", 3000, random_rows(3000, 3000, 9, 5));
    for (const std::size_t count : {2, 3, 5, 8, 13}) {
        const ManyVectors<T, P> apart(c, count, 0, true, true, 0);
        Buffer<T> both(3000 * 2 * count);
        const auto x = Vectors<T>::row_by_row(both.data(), 2 * count);
        const auto y = Vectors<T>::row_by_row(both.data() + count, 2 * count);
        for (std::size_t i = 0; i < 3000; ++i)
            for (std::size_t j = 0; j < count; ++j)
                x.at(static_cast<std::ptrdiff_t>(i))[j] = apart.x.at(i, j);
        ManyScratch<T> scratch;
        multiply_many(c.a.view(), T{1}, apart.x.template vectors<const T>(), T{0},
                      apart.y.template vectors<T>(), count, scratch, 4);
        multiply_many(c.a.view(), T{1}, Vectors<const T>::row_by_row(both.data(), 2 * count), T{0},
                      y, count, scratch, 4);
        for (std::size_t i = 0; i < 3000; ++i)
            for (std::size_t j = 0; j < count; ++j) {
                ASSERT_EQ(x.at(static_cast<std::ptrdiff_t>(i))[j], apart.x.at(i, j)) << i;
                ASSERT_EQ(y.at(static_cast<std::ptrdiff_t>(i))[j], apart.y.at(i, j)) << i;
            }
    }
}

TYPED_TEST(Spmm, TakesNoMoreMemoryThanItSays) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const auto c = make<T, P>("", 700, random_rows(40, 700, 30, 6));
    for (const bool by_rows : {false, true})
        for (const std::size_t count : {1, 7, 40, 100, 600}) {
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
