// libsptune as other programs see it.
#include "tests/library/stencil.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

namespace {

using sptune_test::Matrix;
using sptune_test::wavy;

template <class T>
void expect_near(const std::vector<T>& y, const std::vector<double>& expected) {
    const double tolerance = 2000 * static_cast<double>(std::numeric_limits<T>::epsilon());
    for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(y[i], expected[i], tolerance * (1 + std::abs(expected[i]))) << "row " << i;
}

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

TEST(LibraryMore, ForgetKnowsAMatrixWhoseEntriesWereNotCounted) {
    const Matrix<double, std::int32_t> a(1000);
    auto counted = a.view(), open = a.view();
    counted.nnz = a.row_ptr.back(), open.nnz = -1;
    const auto x = wavy<double>(1000);
    std::vector<double> y(1000);
    sptune::auto_spmv(counted, x, y);
    EXPECT_NE(sptune::why(open), "");
    sptune::forget(open);
    EXPECT_EQ(sptune::why(counted), "");
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
}

sptune::status status_of(const sptune::csr_view<double>& a, const sptune::plan_options& options,
                         std::string* what = nullptr) {
    try {
        sptune::plan(a, options);
    } catch (const sptune::error& e) {
        if (what) *what = e.what();
        return e.code();
    }
    return sptune::status::ok;
}

TEST(LibraryMore, ErrorsHaveAStatusAndAReason) {
    const Matrix<double, std::int32_t> m(100);
    sptune::csr_view<double> a = m.view();
    a.nnz += 1;
    std::string what;
    EXPECT_EQ(status_of(a, {}, &what), sptune::status::invalid_argument);
    EXPECT_NE(what.find("nnz is"), std::string::npos) << what;
    a = m.view();
    a.values = nullptr;
    EXPECT_EQ(status_of(a, {}), sptune::status::invalid_argument);
    a = m.view();
    a.rows = -1;
    EXPECT_EQ(status_of(a, {}), sptune::status::invalid_argument);
    sptune::plan_options options;
    options.expected_calls = -1;
    EXPECT_EQ(status_of(m.view(), options), sptune::status::invalid_argument);
    options = {};
    options.error_bound = 1e-30;
    EXPECT_EQ(status_of(m.view(), options, &what), sptune::status::unmet_constraint);
    EXPECT_NE(what.find("error bound"), std::string::npos) << what;
    options = {};
    options.backend = sptune::backend::cuda;
    EXPECT_EQ(status_of(m.view(), options, &what), sptune::status::unmet_constraint);
    EXPECT_NE(what.find("backend"), std::string::npos) << what;
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

TEST(LibraryMore, ModeOffMeansPlainCsr) {
    setenv("SPTUNE_MODE", "off", 1);
    const Matrix<double, std::int32_t> m(1000);
    sptune::plan_options options;
    options.expected_calls = 1e9;
    EXPECT_NE(sptune::plan(m.view(), options).selection().id.find(".csr.static.x32.l1.u1"),
              std::string::npos);
    setenv("SPTUNE_MODE", "nonsense", 1);
    EXPECT_EQ(status_of(m.view(), {}), sptune::status::invalid_argument);
    unsetenv("SPTUNE_MODE");
}

TEST(LibraryMore, ModeTuneMeasuresOnceAndStores) {
    const auto folder =
        std::filesystem::temp_directory_path() / ("sptune-tune-" + std::to_string(getpid()));
    setenv("SPTUNE_MODE", "tune", 1);
    const Matrix<double, std::int32_t> m(500);
    const std::string where = folder.string();
    sptune::plan_options options;
    options.database = where.c_str();
    options.threads = 1;
    const auto first = sptune::plan(m.view(), options);
    EXPECT_EQ(first.selection().source, "exact") << first.why();
    EXPECT_NE(first.why().find("measured for"), std::string::npos) << first.why();
    const auto again = sptune::plan(m.view(), options);
    EXPECT_EQ(again.selection().source, "exact");
    EXPECT_EQ(again.why().find("measured for"), std::string::npos) << again.why();
    // What cannot be stored stops no program.
    const std::string file = (folder / "file").string();
    std::ofstream(file) << "no database";
    options.database = file.c_str();
    EXPECT_EQ(sptune::plan(Matrix<double, std::int32_t>(300).view(), options).selection().source,
              "model");
    unsetenv("SPTUNE_MODE");
    std::filesystem::remove_all(folder);
}

/// A folder of its own, named by the environment as a user's and a system's would be.
class LibraryDatabases : public testing::Test {
  protected:
    // Another one for each test: a process looks once which databases there are.
    std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() /
        (testing::UnitTest::GetInstance()->current_test_info()->name() + std::to_string(getpid()));
    std::string before_ = std::getenv("SPTUNE_DB") ? std::getenv("SPTUNE_DB") : "";

    void SetUp() override {
        unsetenv("SPTUNE_DB");
        setenv("XDG_DATA_HOME", (folder_ / "home").c_str(), 1);
        setenv("XDG_DATA_DIRS", (folder_ / "system").c_str(), 1);
    }
    void TearDown() override {
        for (const char* name : {"XDG_DATA_HOME", "XDG_DATA_DIRS", "SPTUNE_MODE"}) unsetenv(name);
        setenv("SPTUNE_DB", before_.c_str(), 1);
        std::filesystem::remove_all(folder_);
    }
};

TEST_F(LibraryDatabases, TheSystemsOneIsReadAndNotWritten) {
    const Matrix<double, std::int32_t> m(500);
    sptune::plan_options options;
    options.threads = 1;
    setenv("SPTUNE_MODE", "tune", 1);
    std::filesystem::create_directories(folder_ / "system/sptune/db");
    EXPECT_EQ(sptune::plan(m.view(), options).selection().source, "exact");
    std::filesystem::remove_all(folder_ / "system/sptune");
    std::filesystem::rename(folder_ / "home/sptune", folder_ / "system/sptune");
    const auto plan = sptune::plan(m.view(), options);
    EXPECT_EQ(plan.selection().source, "exact");
    EXPECT_NE(plan.why().find("the system's database"), std::string::npos) << plan.why();
    EXPECT_EQ(plan.why().find("measured for"), std::string::npos) << plan.why();
    EXPECT_FALSE(std::filesystem::exists(folder_ / "home/sptune"));
    // What is named stands alone.
    const std::string other = (folder_ / "other").string();
    options.database = other.c_str();
    unsetenv("SPTUNE_MODE");
    EXPECT_EQ(sptune::plan(m.view(), options).selection().source, "model");
}

TEST_F(LibraryDatabases, WhatIsBrokenStopsNoProgram) {
    std::filesystem::create_directories(folder_ / "system/sptune");
    std::ofstream(folder_ / "system/sptune/db.json") << "{\"schema\": \"sptune.export/9\"}";
    std::ofstream(folder_ / "system/sptune/db") << "garbage";
    const Matrix<double, std::int32_t> m(500);
    const auto plan = sptune::plan(m.view());
    EXPECT_EQ(plan.selection().source, "model");
    EXPECT_NE(plan.why().find("Passed over: ignored " + (folder_ / "system/sptune/db").string()),
              std::string::npos)
        << plan.why();
    const auto x = wavy<double>(500);
    std::vector<double> y(500);
    sptune::auto_spmv(m.view(), x, y);
    expect_near(y, m.times(1, x, 0, y));
    sptune::forget(m.view());
}

TEST(LibraryMore, ThreadsMayCallAutoSpmvAtTheSameTime) {
    std::vector<Matrix<double, std::int32_t>> matrices;
    for (int i = 0; i < 20; ++i) matrices.emplace_back(100 + i);  // more than are kept
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int n = 0; n < 200; ++n) {
                const auto& m = matrices[static_cast<std::size_t>(7 * n + t) % matrices.size()];
                const auto x = wavy<double>(static_cast<std::size_t>(m.cols), t);
                std::vector<double> y(static_cast<std::size_t>(m.rows));
                sptune::auto_spmv(m.view(), x, y);
                expect_near(y, m.times(1, x, 0, y));
            }
        });
    for (std::thread& thread : threads) thread.join();
}

}  // namespace
