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

template <class T, class P>
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

TYPED_TEST(OneValue, IsNotStoredAndTheProductStaysRight) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    int without = 0, ragged = 0;
    for (auto& c : awkward<T, P>()) {
        for (T& v : c.a.values) v = T(-0.75);
        c.solve();
        for_each_sell(c, [&](const SpmvKernel<T, P>& kernel, int chunk) {
            if (!sell::knows_one_value(chunk)) return;
            for (const int threads : {1, 3}) {
                const auto storage = kernel.convert(c.a.view(), kernel.variant.params, threads);
                const auto& s = sliced<T, P>(*storage);
                if (s.one) {
                    ++without;
                    EXPECT_TRUE(s.values.empty());
                    for (index_t i = 0; i < s.slices(); ++i)
                        ragged += s.one->full[i] * chunk < s.slice_ptr[i + 1] - s.slice_ptr[i];
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
    EXPECT_GT(without, 500);
    EXPECT_GT(ragged, 1000);
}

TYPED_TEST(OneValue, AnotherOneIsNoticedWhereverItIs) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    Case<T, P> c = make<T, P>("random", 900, random_rows(30'000, 900, 9, 5));
    ASSERT_GT(c.a.nnz(), 200'000);
    const std::size_t last = c.a.values.size() - 1;
    for (const std::size_t at : {std::size_t{0}, std::size_t{1}, last / 2, last}) {
        for (T& v : c.a.values) v = T{1};
        c.a.values[at] = T(1) + std::numeric_limits<T>::epsilon();
        for_each_sell(c, [&](const SpmvKernel<T, P>& kernel, int chunk) {
            if (get(kernel.variant.params, "s") != 1 || chunk != 8) return;
            const auto storage = kernel.convert(c.a.view(), kernel.variant.params, 3);
            EXPECT_FALSE((sliced<T, P>(*storage).one)) << at;
        });
    }
    for (T& v : c.a.values) v = T{1};
    int without = 0;
    for_each_sell(c, [&](const SpmvKernel<T, P>& kernel, int chunk) {
        if (get(kernel.variant.params, "s") != 1) return;
        const auto storage = kernel.convert(c.a.view(), kernel.variant.params, 3);
        const auto& s = sliced<T, P>(*storage);
        without += s.one.has_value();
        EXPECT_EQ(s.one.has_value(), sell::knows_one_value(chunk));
        EXPECT_GE(s.stored(), static_cast<std::uint64_t>(c.a.nnz()));
        const std::uint64_t beside_columns = s.bytes() - s.column.bytes() - s.offset.bytes();
        EXPECT_LT(s.one ? beside_columns : 0, s.stored() * sizeof(T)) << kernel.variant.id();
    });
    EXPECT_GE(without, 4);
}

TYPED_TEST(OneValue, PaddingDoesNotSeeWhatRowsDoNot) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    // Every second row is short, so that half of what is stored pads; only long rows see column 3.
    Rows rows(200, {0, 1, 2});
    for (std::size_t i = 0; i < rows.size(); i += 2) rows[i] = {0, 1, 2, 3, 4, 5, 6, 7};
    Case<T, P> c = make<T, P>("every second", 8, rows);
    for (T& v : c.a.values) v = T{1};
    c.solve();
    c.x[3] = std::numeric_limits<T>::infinity();
    const int used = for_each_sell(c, [&](const SpmvKernel<T, P>& kernel, int) {
        const auto storage = kernel.convert(c.a.view(), kernel.variant.params, 1);
        Buffer<T> y(rows.size());
        kernel.apply(*storage, T{1}, c.x.data(), T{0}, y.data(), {1});
        for (std::size_t i = 0; i < rows.size(); ++i)
            ASSERT_EQ(std::isfinite(y[i]), i % 2 == 1) << kernel.variant.id() << ", row " << i;
    });
    EXPECT_GT(used, 50);
}

}  // namespace
}  // namespace sptune
