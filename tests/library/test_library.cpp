// libsptune as other programs see it.
#include "tests/library/stencil.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <thread>

#include <gtest/gtest.h>

namespace {

using sptune_test::expect_near;
using sptune_test::Matrix;
using sptune_test::wavy;

template <class Types>
class Library : public testing::Test {};
using AllTypes = testing::Types<std::pair<float, std::int32_t>, std::pair<float, std::int64_t>,
                                std::pair<double, std::int32_t>, std::pair<double, std::int64_t>>;
TYPED_TEST_SUITE(Library, AllTypes);

TYPED_TEST(Library, AutoSpmv) {
    using T = typename TypeParam::first_type;
    const Matrix<T, typename TypeParam::second_type> a(1000, 30);
    const auto x = wavy<T>(1030);
    std::vector<T> y(1000, std::numeric_limits<T>::quiet_NaN());
    EXPECT_EQ(sptune::why(a.view()), "");
    for (int call = 0; call < 100; ++call) sptune::auto_spmv(a.view(), x, y);
    EXPECT_NE(sptune::why(a.view()).find("is in use"), std::string::npos) << sptune::why(a.view());
    expect_near(y, a.times(1, x, 0, y));
    const auto y0 = wavy<T>(1000, 1);
    y = y0;
    sptune::auto_spmv(a.view(), x.data(), y.data(), {T{2}, T{-0.5}, nullptr});
    expect_near(y, a.times(2, x, -0.5, y0));
    y = y0;
    sptune::auto_spmv(a.view(), x, y, {T{-1}, T{3}, nullptr});
    expect_near(y, a.times(-1, x, 3, y0));
    sptune::forget(a.view());
    EXPECT_EQ(sptune::why(a.view()), "");
}

TYPED_TEST(Library, Plans) {
    using T = typename TypeParam::first_type;
    const Matrix<T, typename TypeParam::second_type> a(1000, 30);
    for (const bool transposed : {false, true})
        for (const double calls : {0.0, 10000.0}) {
            sptune::plan_options options;
            options.expected_calls = calls;
            options.transposed = transposed;
            auto plan = sptune::plan(a.view(), options);
            const std::size_t in = transposed ? 1000 : 1030, out = transposed ? 1030 : 1000;
            const auto x = wavy<T>(2 * in), y0 = wavy<T>(2 * out, 2);
            for (int call = 0; call < 60; ++call) {
                auto y = y0;
                plan.apply_many(T{-1}, x.data(), in, T{0.5}, y.data(), out, 2);
                for (std::size_t v = 0; v < 2; ++v) {
                    const std::vector<T> one(x.begin() + v * in, x.begin() + (v + 1) * in);
                    const std::vector<T> old(y0.begin() + v * out, y0.begin() + (v + 1) * out);
                    expect_near(std::vector<T>(y.begin() + v * out, y.begin() + (v + 1) * out),
                                a.times(-1, one, 0.5, old, transposed));
                }
            }
            EXPECT_FALSE(plan.why().empty());
            EXPECT_FALSE(plan.selection().id.empty());
            EXPECT_EQ(plan.size_of_x(), static_cast<std::int32_t>(in));
            EXPECT_EQ(plan.size_of_y(), static_cast<std::int32_t>(out));
            std::vector<T> y(out);
            plan.apply(x, y);
            expect_near(y, a.times(1, x, 0, y, transposed));
            y.assign(y0.begin(), y0.begin() + out);
            plan.apply(2, x, -1, y);
            expect_near(y, a.times(2, x, -1, {y0.begin(), y0.begin() + out}, transposed));
        }
}

TYPED_TEST(Library, NewValues) {
    using T = typename TypeParam::first_type;
    Matrix<T, typename TypeParam::second_type> a(500);
    const auto x = wavy<T>(500);
    std::vector<T> y(500);
    for (const bool transposed : {false, true}) {
        sptune::plan_options options;
        options.expected_calls = 1000;
        options.transposed = transposed;
        auto plan = sptune::plan(a.view(), options);
        for (int step = 0; step < 5; ++step) {
            for (T& v : a.values) v += static_cast<T>(0.5);
            plan.update_values(a.values.data());
            for (int call = 0; call < 20; ++call) plan.apply(x.data(), y.data());
            expect_near(y, a.times(1, x, 0, y, transposed));
        }
    }
}

TYPED_TEST(Library, LayoutsThatShareTheValuesTakeNewOnes) {
    using T = typename TypeParam::first_type;
    Matrix<T, typename TypeParam::second_type> a(500);
    const auto x = wavy<T>(500);
    std::vector<T> y(500);
    sptune::plan_options options;
    options.expected_calls = 1000;
    options.variants = "*.csr.*.x16.*";
    auto plan = sptune::plan(a.view(), options);
    for (int step = 0; step < 3; ++step) {
        std::vector<T> other = a.values;  // in memory of their own
        for (T& v : other) v += static_cast<T>(0.5);
        plan.update_values(other.data());
        a.values.swap(other);
        plan.apply(x.data(), y.data());
        expect_near(y, a.times(1, x, 0, y));
        EXPECT_NE(plan.selection().id.find(".x16."), std::string::npos);
    }
}

TYPED_TEST(Library, NewValuesAndStructuresAreNoticedInHostMemory) {
    using T = typename TypeParam::first_type;
    Matrix<T, typename TypeParam::second_type> a(2000);
    const auto x = wavy<T>(2000);
    std::vector<T> y(2000);
    for (int step = 0; step < 5; ++step) {
        for (int call = 0; call < 50; ++call) sptune::auto_spmv(a.view(), x, y);
        expect_near(y, a.times(1, x, 0, y));
        for (T& v : a.values) v += static_cast<T>(0.5);
        sptune::auto_spmv(a.view(), x, y);
        expect_near(y, a.times(1, x, 0, y));
        for (T& v : a.values) v = -v;  // all sampled bits change in the same way
        sptune::auto_spmv(a.view(), x, y);
        expect_near(y, a.times(1, x, 0, y));
        for (auto& j : a.col_idx) j = 1999 - j;
        sptune::auto_spmv(a.view(), x, y);
        expect_near(y, a.times(1, x, 0, y));
    }
}

TYPED_TEST(Library, AnotherNumberOfEntriesInTheSameArraysIsNoticed) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    for (const bool counted : {true, false}) {
        Matrix<T, P> a(2000);
        const auto x = wavy<T>(2000);
        std::vector<T> y(2000);
        for (int shorter = 0; shorter < 3; ++shorter) {
            auto view = a.view();
            if (!counted) view.nnz = -1;
            for (int call = 0; call < 50; ++call) sptune::auto_spmv(view, x, y);
            expect_near(y, a.times(1, x, 0, y));
            // Every row that has more than one entry loses its last; the arrays stay where they
            // are.
            P at = 0;
            for (std::size_t i = 0, begin = 0; i < 2000; ++i) {
                const auto end = static_cast<std::size_t>(a.row_ptr[i + 1]);
                const std::size_t keep = end - begin > 1 ? end - begin - 1 : end - begin;
                for (std::size_t k = begin; k < begin + keep; ++k, ++at) {
                    a.col_idx[static_cast<std::size_t>(at)] = a.col_idx[k];
                    a.values[static_cast<std::size_t>(at)] = a.values[k];
                }
                begin = end, a.row_ptr[i + 1] = at;
            }
        }
    }
}

/// Nobody looks at A before choosing pays. From then on nothing is multiplied in silence with what
/// leads out of the arrays.
TEST(LibraryMore, AColumnThatIsNotThereIsRefusedOnceAIsLookedAt) {
    Matrix<double, std::int32_t> a(6000);
    a.col_idx[1000] = 6002;
    const auto x = wavy<double>(6010);  // what is read is there
    std::vector<double> y(6000);
    int refused = 0;
    for (int call = 0; call < 20'000 && refused < 3; ++call) try {
            sptune::auto_spmv(a.view(), x.data(), y.data());
            EXPECT_EQ(refused, 0) << call;
        } catch (const sptune::error& e) {
            EXPECT_EQ(e.code(), sptune::status::invalid_argument);
            EXPECT_NE(std::string(e.what()).find("col_idx[1000]"), std::string::npos) << e.what();
            ++refused;
        }
    EXPECT_EQ(refused, 3);
    a.col_idx[1000] = 5999;
    sptune::auto_spmv(a.view(), x.data(), y.data());
    sptune::forget(a.view());
}

TEST(LibraryMore, GraceCallsMayBeLeftOpenOrNoneButAreANumber) {
    const Matrix<double, std::int32_t> a(1000);
    sptune::plan_options usual, asked;
    EXPECT_LT(usual.grace_calls, 0);
    asked.grace_calls = 0;
    EXPECT_NO_THROW(sptune::plan(a.view(), usual));
    EXPECT_NO_THROW(sptune::plan(a.view(), asked));
    asked.grace_calls = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW(sptune::plan(a.view(), asked), sptune::error);
}

/// CSR with columns of 16 bits holds those alone: row pointers and values are the caller's.
TEST(LibraryMore, MemoryCountsBesideTheMatrix) {
    const Matrix<double, std::int32_t> a(3000);
    sptune::plan_options options;
    options.variants = "*.csr.*.x16.*";
    options.memory_bytes = 2 * a.col_idx.size() + 4 * 3000;
    EXPECT_NE(sptune::plan(a.view(), options).selection().chosen.find(".x16."), std::string::npos);
    options.memory_bytes -= 1;
    try {
        sptune::plan(a.view(), options);
        FAIL() << "not refused";
    } catch (const sptune::error& e) {
        EXPECT_EQ(e.code(), sptune::status::unmet_constraint) << e.what();
    }
}

TEST(LibraryMore, DeterministicPlansRepeatThemselvesFromTheFirstCallOn) {
    const Matrix<float, std::int32_t> a(3000);
    const auto x = wavy<float>(3000);
    for (const double calls : {0.0, 1e6}) {
        sptune::plan_options options;
        options.deterministic = true;
        options.expected_calls = calls;
        auto plan = sptune::plan(a.view(), options);
        std::vector<float> first(3000), y(3000);
        plan.apply(x.data(), first.data());
        for (int call = 0; call < 200; ++call) {
            plan.apply(x.data(), y.data());
            ASSERT_EQ(y, first) << "call " << call;
        }
    }
}

TEST(LibraryMore, HostMemoryIsTheCpus) {
    const int here = 0;
    EXPECT_EQ(sptune::memory_of(&here), sptune::backend::cpu);
    EXPECT_EQ(sptune::memory_of(nullptr), sptune::backend::cpu);
}

TEST(LibraryMore, EmptyMatrices) {
    const std::vector<int> row_ptr(6, 0);
    std::vector<double> y(5, 2.0);
    const double x = 1;
    sptune::csr_view<double> a{5, 0, row_ptr.data(), nullptr, nullptr, 0};
    auto plan = sptune::plan(a);
    plan.apply(1, &x, 0.5, y.data());
    EXPECT_EQ(y, std::vector<double>(5, 1.0));
    sptune::auto_spmv(a, &x, y.data());
    EXPECT_EQ(y, std::vector<double>(5, 0.0));
    sptune::plan(sptune::csr_view<double>{0, 5, nullptr, nullptr, nullptr, 0}).apply(&x, y.data());
    const std::vector<int> astray{0, 5, 0};
    a = {2, 3, astray.data(), nullptr, nullptr, -1};
    EXPECT_THROW(sptune::plan(a), sptune::error);
}

TEST(LibraryMore, SmallMatricesBeginWithOneThread) {
    const Matrix<double, std::int32_t> a(300);
    sptune::plan_options options;
    options.threads = 2;
    auto plan = sptune::plan(a.view(), options);
    EXPECT_NE(plan.selection().id.find("csr.static.x32.ln.u1.w1."), std::string::npos)
        << plan.selection().id;
    const auto x = wavy<double>(300);
    std::vector<double> y(300);
    for (int call = 0; call < 200; ++call) plan.apply(x.data(), y.data());
    expect_near(y, a.times(1, x, 0, y));
}

TEST(LibraryMore, VariantsCanBeForced) {
    const Matrix<double, std::int32_t> m(1000);
    sptune::plan_options options;
    options.variants = "*.sell.simd.*";
    auto plan = sptune::plan(m.view(), options);
    EXPECT_NE(plan.selection().id.find(".sell.simd."), std::string::npos) << plan.why();
    const auto x = wavy<double>(1000);
    std::vector<double> y(1000);
    plan.apply(x.data(), y.data());
    expect_near(y, m.times(1, x, 0, y));
}

TEST(LibraryMore, ThreadsMayCallAutoSpmvAtTheSameTime) {
    const Matrix<double, std::int32_t> m(100);
    // Views of the same arrays with more and more columns are other matrices, more than are kept.
    constexpr int kViews = 300, kKept = 256, kThreads = 4;
    const auto nth = [&](int i) {
        auto view = m.view();
        view.cols += i;
        return view;
    };
    std::atomic<int> working{kThreads};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] {
            const auto x = wavy<double>(static_cast<std::size_t>(m.cols + kViews), t);
            std::vector<double> y(static_cast<std::size_t>(m.rows));
            const auto expected = m.times(1, x, 0, y);
            for (int n = 0; n < 5 * kViews; ++n) {
                std::fill(y.begin(), y.end(), std::numeric_limits<double>::quiet_NaN());
                sptune::auto_spmv(nth((7 * n + t) % kViews), x.data(), y.data());
                expect_near(y, expected);
            }
            --working;
        });
    // Of so few that the others are still more than are kept.
    threads.emplace_back([&] {
        for (int n = 0; working > 0; ++n) sptune::forget(nth(10 * n % kViews));
    });
    for (std::thread& thread : threads) thread.join();
    int known = 0;
    for (int i = 0; i < kViews; ++i) known += !sptune::why(nth(i)).empty();
    EXPECT_LE(known, kKept);
    EXPECT_GT(known, kKept / 2);
    for (int i = 0; i < kViews; ++i) sptune::forget(nth(i));
}

}  // namespace
