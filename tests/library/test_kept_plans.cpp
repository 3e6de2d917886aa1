// What auto_spmv keeps, and what it forgets.
#include "tests/library/stencil.hpp"

#include <atomic>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <omp.h>

namespace {

using sptune_test::Matrix;
using sptune_test::wavy;

TEST(KeptPlans, ForgetKnowsAMatrixWhoseEntriesWereNotCounted) {
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

TEST(KeptPlans, ForgetKnowsAMatrixThatHadOtherNumbersOfEntries) {
    std::vector<std::int32_t> row_ptr{0, 1, 2, 3}, col_idx{0, 1, 2, 2};
    const std::vector<double> values{1, 2, 3, 4}, x{1, 1, 1};
    std::vector<double> y(3);
    sptune::csr_view<double> fewer{3, 3, row_ptr.data(), col_idx.data(), values.data()}, more;
    more = fewer;
    fewer.nnz = 3, more.nnz = 4;
    sptune::auto_spmv(fewer, x, y);
    EXPECT_NE(sptune::why(fewer), "");
    sptune::forget(more);
    EXPECT_EQ(sptune::why(fewer), "");
    sptune::auto_spmv(fewer, x, y);
    row_ptr.back() = 4;
    sptune::auto_spmv(more, x, y);
    EXPECT_EQ(y.back(), 7);
    EXPECT_EQ(sptune::why(fewer), "") << "assembled anew in its place";
    sptune::forget(more);
}

TEST(KeptPlans, AMatrixAssembledAnewInPlaceLeavesNothingBehind) {
    std::vector<std::int32_t> row_ptr{0, 1, 2, 3}, col_idx{0, 1, 2, 2};
    const std::vector<double> values{1, 2, 3, 4}, x{1, 1, 1};
    std::vector<double> y(3);
    const sptune::csr_view<double> unknown{3, 3, row_ptr.data(), col_idx.data(), values.data()};
    sptune::csr_view<double> before = unknown;
    before.nnz = 3;
    sptune::auto_spmv(unknown, x, y);
    EXPECT_NE(sptune::why(before), "");
    row_ptr.back() = 4;
    sptune::auto_spmv(unknown, x, y);
    EXPECT_EQ(y.back(), 7);
    EXPECT_EQ(sptune::why(before), "");
    sptune::forget(unknown);
    EXPECT_EQ(sptune::why(unknown), "");
}

TEST(KeptPlans, ManyPlansAreKeptWhereTheyHoldLittle) {
    // Views of the same arrays with more and more columns are other matrices.
    const auto remembered = [](sptune::csr_view<float> a, int count) {
        std::vector<float> x(static_cast<std::size_t>(a.cols + count)), y(200);
        const auto nth = [&](int i) {
            auto other = a;
            other.cols += i;
            return other;
        };
        for (int i = 0; i < count; ++i) sptune::auto_spmv(nth(i), x.data(), y.data());
        int known = 0;
        for (int i = 0; i < count; ++i) known += !sptune::why(nth(i)).empty();
        EXPECT_NE(sptune::why(nth(count - 1)), "");
        for (int i = 0; i < count; ++i) sptune::forget(nth(i));
        return known;
    };
    const Matrix<float, std::int32_t> small(100);
    EXPECT_EQ(remembered(small.view(), 100), 100);
    EXPECT_EQ(remembered(small.view(), 300), 256);
    const std::int32_t rows = 200, cols = 10'000;
    std::vector<std::int32_t> row_ptr, col_idx;
    for (std::int32_t i = 0; i <= rows; ++i) row_ptr.push_back(i * cols);
    for (std::int32_t k = 0; k < rows * cols; ++k) col_idx.push_back(k % cols);
    const std::vector<float> values(col_idx.size(), 1);
    EXPECT_EQ(remembered({rows, cols, row_ptr.data(), col_idx.data(), values.data()}, 25), 25)
        << "however large, nothing is converted after one call";
}

TEST(KeptPlans, WhatAThreadGoesOnUsingIsNotTheOldest) {
    // It finds its plan without a look at the others.
    const Matrix<float, std::int32_t> small(100);
    std::vector<float> x(500), y(100);
    std::atomic<int> asked{0}, done{0};
    std::thread user([&] {
        std::vector<float> of_user(100);
        for (int call = 1; call <= 4; ++call) {
            while (asked < call) std::this_thread::yield();
            sptune::auto_spmv(small.view(), x.data(), of_user.data());
            done = call;
        }
    });
    const auto let_it_call = [&] {
        const int call = ++asked;
        while (done < call) std::this_thread::yield();
    };
    const auto nth = [&](int i) {
        auto other = small.view();
        other.cols += i;
        return other;
    };
    let_it_call();
    for (int i = 1; i <= 350; ++i) {
        if (i % 120 == 10) let_it_call();  // before it is too late
        sptune::auto_spmv(nth(i), x.data(), y.data());
    }
    user.join();
    EXPECT_EQ(sptune::why(nth(1)), "");
    EXPECT_NE(sptune::why(small.view()), "");
    for (int i = 0; i <= 350; ++i) sptune::forget(nth(i));
}

TEST(KeptPlans, PlansThatAreKeptHoldNoMoreThanTheyMay) {
    // A band, of which DIA's form takes 2 MB and is, with one thread, clearly faster than CSR.
    const int usual = omp_get_max_threads();
    omp_set_num_threads(1);
    const std::int32_t rows = 60'000, each = 8;
    std::vector<std::int32_t> row_ptr, col_idx;
    for (std::int32_t i = 0; i <= rows; ++i) row_ptr.push_back(i * each);
    for (std::int32_t i = 0; i < rows; ++i)
        for (std::int32_t j = 0; j < each; ++j) col_idx.push_back(i + j);
    const std::vector<float> values(col_idx.size(), 1);
    constexpr int kMatrices = 90, kRounds = 60;
    std::vector<float> x(static_cast<std::size_t>(rows + each + kMatrices), 1), y(rows);
    const auto nth = [&](int i) {
        return sptune::csr_view<float>{rows, rows + each + i, row_ptr.data(), col_idx.data(),
                                       values.data()};
    };
    for (int round = 0; round < kRounds; ++round)
        for (int i = 0; i < kMatrices; ++i) sptune::auto_spmv(nth(i), x.data(), y.data());
    int converted = 0;
    for (int i = 0; i < kMatrices; ++i) {
        const std::string why = sptune::why(nth(i));
        const std::size_t at = why.find(" is in use");
        const std::string in_use =
            at == std::string::npos ? "" : why.substr(why.rfind(' ', at - 1) + 1);
        for (const char* format : {".sell.", ".hdia.", ".dia.", ".ell."})
            converted += in_use.find(format) < in_use.find(' ');
        sptune::forget(nth(i));
    }
    omp_set_num_threads(usual);
    const double bytes_each = 4.0 * static_cast<double>(values.size());  // at the least
    EXPECT_LE(converted, 16 + 96 * 1024 * 1024 / bytes_each);
#ifdef __OPTIMIZE__  // else kernels are too slow for a conversion to pay
    EXPECT_GE(converted, 5) << "this has tested nothing";
#endif
}

}  // namespace
