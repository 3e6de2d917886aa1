// A plan for one thread starts no other, whatever it converts to. In a process of its own: OpenMP
// keeps the threads that it has once started.
#include "tests/library/stencil.hpp"

#include <filesystem>
#include <iterator>
#include <string>

#include <gtest/gtest.h>
#include <omp.h>

namespace {

using sptune_test::Matrix;

auto threads_of_process() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {});
}

TEST(Threads, OneMeansOne) {
    const Matrix<double, std::int32_t> m(12000);
    const auto x = sptune_test::wavy<double>(12000);
    std::vector<double> y(12000);
    const auto before = threads_of_process();
    for (const char* format : {"csr", "coo", "csc", "sell", "ell", "pjds", "hyb", "bsr", "hdia"}) {
        const std::string variants = std::string("*.") + format + ".*";
        sptune::plan_options options;
        options.threads = 1;
        options.expected_calls = 1e6;
        options.variants = variants.c_str();
        options.database = "";
        try {
            auto plan = sptune::plan(m.view(), options);
            for (int call = 0; call < 30; ++call) plan.apply(x.data(), y.data());
        } catch (const sptune::error& e) {  // not every format suits the matrix
            EXPECT_EQ(e.code(), sptune::status::unmet_constraint) << e.what();
        }
        EXPECT_EQ(threads_of_process(), before) << format;
    }
}

TEST(Threads, OthersAreStartedWhereTheyAreAskedFor) {
    const Matrix<double, std::int32_t> m(12000);
    const auto x = sptune_test::wavy<double>(12000);
    std::vector<double> y(12000);
    const auto before = threads_of_process();
    sptune::plan_options options;
    options.threads = 2;
    options.expected_calls = 1e6;
    options.variants = "*.sell.simd.*.wn.*";
    options.database = "";
    auto plan = sptune::plan(m.view(), options);
    for (int call = 0; call < 30; ++call) plan.apply(x.data(), y.data());
    EXPECT_GT(threads_of_process(), before);
}

TEST(Threads, AutoSpmvFollowsOpenMP) {
    const Matrix<double, std::int32_t> m(12000);
    const auto x = sptune_test::wavy<double>(12000);
    std::vector<double> y(12000);
    const int usual = omp_get_max_threads();
    const auto calls = [&](int threads) {
        omp_set_num_threads(threads);
        for (int call = 0; call < 3; ++call) sptune::auto_spmv(m.view(), x.data(), y.data());
        return threads_of_process();
    };
    const auto with_one = calls(1);
    EXPECT_GT(calls(6), with_one) << "a plan for one thread is not one for six";
    omp_set_num_threads(usual + 7);
    EXPECT_NE(sptune::why(m.view()), "") << "of a plan for others";
    omp_set_num_threads(usual);
    sptune::forget(m.view());
    EXPECT_EQ(sptune::why(m.view()), "");
}

}  // namespace
