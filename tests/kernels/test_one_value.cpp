// SELL-C-σ on a CPU does without values that are all the same.
#include "kernels/registry.hpp"
#include "kernels/spmv/sell/format.hpp"
#include "kernels/spmv/sell/grid.hpp"
#include "matrix/buffer.hpp"
#include "tests/kernels/spmv_cases.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace sptune {
namespace {

template <class T>
const SellStorage<T>& sliced(const Storage& storage) {
    return dynamic_cast<const SellStorage<T>&>(storage);
}

/// Each kernel for SELL-C-σ that may be used for `c`.
template <class T, class P, class Use>
int for_each_sell(const Case<T, P>& c, Use use) {
    int used = 0;
    for (const auto& kernel : spmv_kernels<T, P>(Backend::cpu)) {
        const Params& params = kernel.variant.params;
        if (kernel.variant.vendor || kernel.variant.format != "sell" ||
            !kernel.inspect(c.a.view(), c.features, params).illegal.empty())
            continue;
        ++used;
        use(kernel, get(params, "c"));
    }
    return used;
}

template <class Types>
class OneValue : public ::testing::Test {};
using AllTypes = ::testing::Types<std::pair<float, std::int32_t>, std::pair<float, std::int64_t>,
                                  std::pair<double, std::int32_t>, std::pair<double, std::int64_t>>;
TYPED_TEST_SUITE(OneValue, AllTypes);

/// How often which of the awkward things came up without values.
struct Met {
    int without = 0, ragged = 0, based = 0, beside = 0;
};

/// `c`, whose values are all the same, with all kernels that may do without.
template <class T, class P>
void expect_right(const Case<T, P>& c, Met& met) {
    for_each_sell(c, [&](const SpmvKernel<T, P>& kernel, int chunk) {
        if (!sell::knows_one_value(chunk)) return;
        for (const int threads : {1, 3}) {
            const auto storage = kernel.convert(c.a.view(), kernel.variant.params, threads);
            const auto& s = sliced<T>(*storage);
            if (s.one) {
                ++met.without;
                EXPECT_TRUE(s.values.empty());
                for (index_t i = 0; i < s.slices(); ++i)
                    met.ragged += s.one->full[i] * chunk < s.slice_ptr[i + 1] - s.slice_ptr[i];
                met.based += !s.base.empty() && s.base[s.base.size() - 1] > 0;
                met.beside += s.beside.count() > 0;
            }
            for (const T beta : {T{0}, T(0.5)}) {
                Buffer<T> y(static_cast<std::size_t>(c.a.rows));
                for (index_t i = 0; i < c.a.rows; ++i)
                    y[i] = beta == T{0} ? std::numeric_limits<T>::quiet_NaN() : c.before[i];
                kernel.apply(s, T(1.5), c.x.data(), beta, y.data(), {threads});
                for (index_t i = 0; i < c.a.rows; ++i)
                    ASSERT_TRUE(c.accepts(i, T(1.5), beta, y[i]))
                        << kernel.variant.id() << " on " << c.name << ", row " << i;
            }
        }
    });
}

template <class T, class P>
void set_all(Case<T, P>& c, T value) {
    for (T& v : c.a.values) v = value;
    c.solve();
}

TYPED_TEST(OneValue, IsNotStoredAndTheProductStaysRight) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    auto cases = awkward<T, P>();
    Rows band = banded_rows(100'000, {-30, -2, 0, 1, 40});
    for (std::size_t i = 0; i < band.size(); i += 3) band[i].resize(2);
    cases.push_back(make<T, P>("wide band of uneven rows", 100'000, band));
    Rows star = banded_rows(20'000, {-2, -1, 0, 1});
    star[7'000] = every(20'000);
    cases.push_back(make<T, P>("band and a full row", 20'000, star));
    Met met;
    for (auto& c : cases) {
        set_all(c, T(-0.75));
        expect_right(c, met);
    }
    EXPECT_GT(met.without, 500);
    EXPECT_GT(met.ragged, 10'000);
    EXPECT_GT(met.based, 10);
    EXPECT_GT(met.beside, 10);
}

TYPED_TEST(OneValue, PaddingWeighsNothingEvenWhereTheValueIsInfiniteOrNone) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    Rows rows = random_rows(500, 400, 9, 3);
    rows[13].clear();
    rows[44] = every(400);
    Case<T, P> c = make<T, P>("random", 400, rows);
    const Buffer<T> x(400, T(0.5));
    for (const T value :
         {std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN()}) {
        set_all(c, value);
        int without = 0;
        for_each_sell(c, [&](const SpmvKernel<T, P>& kernel, int) {
            const auto storage = kernel.convert(c.a.view(), kernel.variant.params, 1);
            without += sliced<T>(*storage).one.has_value();
            Buffer<T> y(rows.size());
            kernel.apply(*storage, T{1}, x.data(), T{0}, y.data(), {1});
            for (std::size_t i = 0; i < rows.size(); ++i)
                ASSERT_TRUE(rows[i].empty()     ? y[i] == T{0}
                            : std::isnan(value) ? std::isnan(y[i])
                                                : y[i] == value)
                    << kernel.variant.id() << ", row " << i << " is " << y[i];
        });
        EXPECT_GT(without, 20);
    }
}

TYPED_TEST(OneValue, AnotherOneIsNoticedWhereverItIs) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    Case<T, P> c = make<T, P>("random", 900, random_rows(30'000, 900, 9, 5));
    const std::size_t nnz = c.a.values.size();
    ASSERT_GT(nnz, 200'000u);
    const T other = T(1) + std::numeric_limits<T>::epsilon();
    const auto without = [&] {
        int kernels = 0;
        for_each_sell(c, [&](const SpmvKernel<T, P>& kernel, int chunk) {
            if (get(kernel.variant.params, "s") != 1) return;
            const auto storage = kernel.convert(c.a.view(), kernel.variant.params, 3);
            const auto& s = sliced<T>(*storage);
            kernels += s.one.has_value();
            EXPECT_TRUE(!s.one || sell::knows_one_value(chunk));
            EXPECT_GE(s.stored(), nnz);
            const std::uint64_t beside_columns = s.bytes() - s.column.bytes() - s.offset.bytes();
            EXPECT_LT(s.one ? beside_columns : 0, s.stored() * sizeof(T)) << kernel.variant.id();
        });
        return kernels;
    };
    for (T& v : c.a.values) v = T{1};
    EXPECT_EQ(without(), 16) << "four heights of slices, two widths of columns, one thread or all";
    for (const std::size_t at : {std::size_t{0}, std::size_t{1}, nnz / 2, nnz - 1}) {
        c.a.values[at] = other;
        EXPECT_EQ(without(), 0) << at;
        c.a.values[at] = T{1};
    }
    for (const std::size_t from : {1 << 14, 1 << 15}) {
        for (std::size_t k = 0; k < nnz; ++k) c.a.values[k] = k < from ? T{1} : other;
        EXPECT_EQ(without(), 0) << "from " << from << " on";
    }
}

TYPED_TEST(OneValue, PaddingDoesNotSeeWhatRowsDoNot) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    // Every second row is short, so that much of what is stored pads; only long rows see column 3.
    Rows rows(200, {0, 1, 2});
    for (std::size_t i = 0; i < rows.size(); i += 2) rows[i] = {0, 1, 2, 3, 4, 5, 6, 7};
    Case<T, P> c = make<T, P>("every second", 8, rows);
    set_all(c, T{1});
    for (index_t j = 0; j < 8; ++j) c.x[j] = static_cast<T>(j + 1);
    c.x[3] = std::numeric_limits<T>::infinity();
    int without = 0;
    for_each_sell(c, [&](const SpmvKernel<T, P>& kernel, int) {
        const auto storage = kernel.convert(c.a.view(), kernel.variant.params, 1);
        without += sliced<T>(*storage).one.has_value();
        Buffer<T> y(rows.size());
        kernel.apply(*storage, T{1}, c.x.data(), T{0}, y.data(), {1});
        for (std::size_t i = 0; i < rows.size(); ++i)
            ASSERT_EQ(y[i], i % 2 == 1 ? T{6} : c.x[3]) << kernel.variant.id() << ", row " << i;
    });
    EXPECT_GT(without, 20);
}

}  // namespace
}  // namespace sptune
