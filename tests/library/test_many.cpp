// Several vectors, one by one and row by row, as other programs see them.
#include "sptune/sptune.h"
#include "tests/library/stencil.hpp"

#include <atomic>
#include <cmath>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace {

using sptune_test::expect_near;
using sptune_test::Matrix;
using sptune_test::wavy;

/// `count` vectors of `size` entries with room between them, in either order.
template <class T>
struct Block {
    std::size_t size, count, step;
    bool rows;
    std::vector<T> data;

    Block(std::size_t entries, std::size_t vectors, bool by_rows, double phase = 0)
        : size(entries),
          count(vectors),
          step((by_rows ? count : size) + 3),
          rows(by_rows),
          data(wavy<T>(step * (by_rows ? size : count), phase)) {}
    std::vector<T> vector(std::size_t j) const {
        std::vector<T> v(size);
        for (std::size_t i = 0; i < size; ++i) v[i] = data[rows ? i * step + j : i + j * step];
        return v;
    }
};

template <class Types>
class LibraryMany : public testing::Test {};
using AllTypes = testing::Types<std::pair<float, std::int32_t>, std::pair<float, std::int64_t>,
                                std::pair<double, std::int32_t>, std::pair<double, std::int64_t>>;
TYPED_TEST_SUITE(LibraryMany, AllTypes);

TYPED_TEST(LibraryMany, EqualOneByOne) {
    using T = typename TypeParam::first_type;
    const Matrix<T, typename TypeParam::second_type> a(1000, 30);
    for (const bool transposed : {false, true}) {
        sptune::plan_options options;
        options.transposed = transposed;
        auto plan = sptune::plan(a.view(), options);
        const std::size_t in = transposed ? 1000 : 1030, out = transposed ? 1030 : 1000;
        for (const bool rows : {false, true})
            for (const std::size_t count : {1, 2, 7, 40})
                for (int call = 0; call < 10; ++call) {
                    const Block<T> x(in, count, rows), before(out, count, rows, 1);
                    Block<T> y = before;
                    if (rows)
                        plan.apply_many_rows(T{-1}, x.data.data(), x.step, T{0.5}, y.data.data(),
                                             y.step, count);
                    else
                        plan.apply_many(T{-1}, x.data.data(), x.step, T{0.5}, y.data.data(), y.step,
                                        count);
                    for (std::size_t j = 0; j < count; ++j)
                        expect_near(y.vector(j),
                                    a.times(-1, x.vector(j), 0.5, before.vector(j), transposed));
                }
    }
}

TYPED_TEST(LibraryMany, NoColumnsOrRows) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const P none[3] = {0, 0, 0};
    auto plan = sptune::plan(sptune::csr_view<T, P>{2, 0, none, nullptr, nullptr, 0});
    std::vector<T> y(10, T{7});
    plan.apply_many_rows(1, nullptr, 0, 2, y.data(), 5, 5);
    EXPECT_EQ(y, std::vector<T>(10, T{14}));
    auto empty = sptune::plan(sptune::csr_view<T, P>{0, 2, nullptr, nullptr, nullptr, 0});
    empty.apply_many_rows(1, y.data(), 5, 0, nullptr, 0, 5);
    empty.apply_many(1, y.data(), 2, 0, nullptr, 0, 5);
}

TYPED_TEST(LibraryMany, ThreadsMayShareAPlan) {
    using T = typename TypeParam::first_type;
    const Matrix<T, typename TypeParam::second_type> a(800);
    auto plan = sptune::plan(a.view());
    std::atomic<int> wrong{0};
    const auto work = [&](std::size_t count) {
        const Block<T> x(800, count, true), across(800, count, false);
        Block<T> y(800, count, true), z(800, count, false);
        for (int call = 0; call < 60; ++call) {
            y.data.assign(y.data.size(), T{-1});
            z.data = y.data;
            z.data.resize(z.step * count);
            plan.apply_many_rows(1, x.data.data(), x.step, 0, y.data.data(), y.step, count);
            plan.apply_many(1, across.data.data(), across.step, 0, z.data.data(), z.step, count);
        }
        for (std::size_t j = 0; j < count; ++j)
            for (const auto& [given, got] : {std::pair{&x, &y}, std::pair{&across, &z}}) {
                const auto expected = a.times(1, given->vector(j), 0, {});
                const auto v = got->vector(j);
                for (std::size_t i = 0; i < v.size(); ++i)
                    wrong += !(std::abs(v[i] - expected[i]) <= 1e-3);
            }
    };
    std::vector<std::thread> threads;
    for (const std::size_t count : {2, 5, 9, 16}) threads.emplace_back(work, count);
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(wrong, 0);
}

TYPED_TEST(LibraryMany, FindThePlanAgain) {
    using T = typename TypeParam::first_type;
    const Matrix<T, typename TypeParam::second_type> a(400);
    for (int call = 0; call < 10; ++call) {
        const Block<T> x(400, 5, true), across(400, 5, false), before(400, 5, true, 1);
        Block<T> y = before, z(400, 5, false);
        sptune::auto_spmv_many_rows(a.view(), x.data.data(), x.step, y.data.data(), y.step, 5,
                                    {T{2}, T{-1}, nullptr});
        sptune::auto_spmv_many(a.view(), across.data.data(), across.step, z.data.data(), z.step, 5);
        for (std::size_t j = 0; j < 5; ++j) {
            expect_near(y.vector(j), a.times(2, x.vector(j), -1, before.vector(j)));
            expect_near(z.vector(j), a.times(1, across.vector(j), 0, {}));
        }
    }
    sptune::forget(a.view());
}

TEST(LibraryManyC, RowByRow) {
    const Matrix<double, std::int32_t> a(100, 10);
    sptune_csr view{};
    view.rows = 100;
    view.cols = 110;
    view.value = SPTUNE_F64;
    view.index = SPTUNE_I32;
    view.row_ptr = a.row_ptr.data();
    view.col_idx = a.col_idx.data();
    view.values = a.values.data();
    view.nnz = a.row_ptr.back();
    sptune_plan* plan = nullptr;
    ASSERT_EQ(sptune_plan_create(&view, nullptr, &plan), SPTUNE_OK) << sptune_last_error();
    const Block<double> x(110, 4, true);
    Block<double> y(100, 4, true);
    EXPECT_EQ(sptune_plan_apply_many_rows(plan, 1, x.data.data(), x.step, 0, y.data.data(), y.step,
                                          4, nullptr),
              SPTUNE_OK);
    for (std::size_t j = 0; j < 4; ++j) expect_near(y.vector(j), a.times(1, x.vector(j), 0, {}));
    y.data.assign(y.data.size(), 0);
    EXPECT_EQ(sptune_auto_spmv_many_rows(&view, 1, x.data.data(), x.step, 0, y.data.data(), y.step,
                                         4, nullptr),
              SPTUNE_OK);
    for (std::size_t j = 0; j < 4; ++j) expect_near(y.vector(j), a.times(1, x.vector(j), 0, {}));
    const Block<double> across(110, 4, false);
    Block<double> z(100, 4, false);
    EXPECT_EQ(sptune_auto_spmv_many(&view, 1, across.data.data(), across.step, 0, z.data.data(),
                                    z.step, 4, nullptr),
              SPTUNE_OK);
    for (std::size_t j = 0; j < 4; ++j)
        expect_near(z.vector(j), a.times(1, across.vector(j), 0, {}));
    EXPECT_EQ(sptune_forget(&view), SPTUNE_OK);
    EXPECT_EQ(sptune_plan_apply_many_rows(plan, 1, x.data.data(), 3, 0, y.data.data(), y.step, 4,
                                          nullptr),
              SPTUNE_INVALID_ARGUMENT);
    EXPECT_NE(std::string(sptune_last_error()).find("ldx is 3"), std::string::npos);
    sptune_plan_destroy(plan);
}

}  // namespace
