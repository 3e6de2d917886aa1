// The C interface: whether options arrive, what is refused, and what is handed over.
#include "sptune/sptune.h"
#include "tests/library/stencil.hpp"

#include <cstddef>
#include <cstring>
#include <functional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace {

using sptune_test::expect_near;
using sptune_test::wavy;
using Matrix = sptune_test::Matrix<double, std::int32_t>;

sptune_csr c_view(const Matrix& m) {
    return {m.rows,          m.cols, m.row_ptr.data(), m.col_idx.data(),
            m.values.data(), -1,     SPTUNE_F64,       SPTUNE_I32};
}

struct Plan {
    sptune_plan* made = nullptr;
    sptune_status status;

    Plan(const Matrix& m, const sptune_options& options) {
        const sptune_csr a = c_view(m);
        status = sptune_plan_create(&a, &options, &made);
    }
    ~Plan() { sptune_plan_destroy(made); }
    std::string why() const {
        char text[4096] = "";
        EXPECT_EQ(sptune_plan_why(made, text, sizeof text, nullptr), SPTUNE_OK);
        return text;
    }
};

sptune_options usual_options() {
    sptune_options options;
    sptune_options_init(&options);
    return options;
}

#define EXPECT_ANSWER(expected, words, ...)                                    \
    do {                                                                       \
        EXPECT_EQ(__VA_ARGS__, expected) << (words);                           \
        EXPECT_NE(std::strstr(sptune_last_error(), words), nullptr)            \
            << "says " << sptune_last_error() << ", but nothing of " << words; \
    } while (false)

TEST(CInterface, OptionsOfPlansArrive) {
    const Matrix m(100);
    const struct {
        std::function<void(sptune_options&)> set;
        sptune_status status;
        const char* words;
    } cases[] = {
        {[](auto& o) { o.expected_calls = -1; }, SPTUNE_INVALID_ARGUMENT, "expected_calls must"},
        {[](auto& o) { o.memory_bytes = 1, o.variants = "*.ell.*"; }, SPTUNE_UNMET_CONSTRAINT,
         "memory cap"},
        {[](auto& o) { o.longest_conversion_us = -1; }, SPTUNE_INVALID_ARGUMENT,
         "longest_conversion_us must"},
        {[](auto& o) { o.error_bound = 1e-30; }, SPTUNE_UNMET_CONSTRAINT, "error bound"},
        {[](auto& o) { o.variants = "nothing"; }, SPTUNE_UNMET_CONSTRAINT, "variants"},
        {[](auto& o) { o.backend = SPTUNE_CUDA; }, SPTUNE_UNMET_CONSTRAINT, "backend: "},
        {[](auto& o) { o.epsilon = 0; }, SPTUNE_INVALID_ARGUMENT, "epsilon must"},
        {[](auto& o) { o.grace_calls = std::nan(""); }, SPTUNE_INVALID_ARGUMENT,
         "grace_calls must"},
        {[](auto& o) { o.threads = -1; }, SPTUNE_INVALID_ARGUMENT, "threads must"},
        {[](auto& o) { o.in_graphs = 1, o.online = SPTUNE_ONLINE_ALWAYS; }, SPTUNE_INVALID_ARGUMENT,
         "in_graphs exclude each other"},
    };
    for (const auto& c : cases) {
        sptune_options options = usual_options();
        c.set(options);
        EXPECT_ANSWER(c.status, c.words, Plan(m, options).status);
    }
    sptune_options options = usual_options();
    options.database = "/nonexistent/database";
    EXPECT_NE(Plan(m, options).why().find("/nonexistent/database"), std::string::npos);
}

TEST(CInterface, APlanOfTheTransposeMultipliesByIt) {
    const Matrix m(100, 10);
    sptune_options options = usual_options();
    options.transposed = 1;
    const Plan plan(m, options);
    const auto x = wavy<double>(100);
    std::vector<double> y(110);
    ASSERT_EQ(sptune_plan_apply(plan.made, 1, x.data(), 0, y.data(), nullptr), SPTUNE_OK);
    expect_near(y, m.times(1, x, 0, y, true));
}

TEST(CInterface, CallsAreTimedUnlessNothingIsToBeTried) {
    const Matrix m(100);
    const auto x = wavy<double>(100);
    std::vector<double> y(100);
    for (const auto& [online, deterministic] : {std::pair{SPTUNE_ONLINE_ALWAYS, 0},
                                                {SPTUNE_ONLINE_ALWAYS, 1},
                                                {SPTUNE_ONLINE_NEVER, 0}}) {
        sptune_options options = usual_options();
        options.online = online;
        options.deterministic = deterministic;
        const Plan plan(m, options);
        for (int call = 0; call < 10; ++call)
            sptune_plan_apply(plan.made, 1, x.data(), 0, y.data(), nullptr);
        const bool timed = plan.why().find(" took ") != std::string::npos;
        EXPECT_EQ(timed, online == SPTUNE_ONLINE_ALWAYS && !deterministic) << plan.why();
    }
}

TEST(CInterface, VectorsMayLieAtDistancesOfTheirOwn) {
    const Matrix m(100, 10);
    const Plan plan(m, usual_options());
    const auto x = wavy<double>(120 + 110);
    std::vector<double> y(105 + 100);
    ASSERT_EQ(sptune_plan_apply_many(plan.made, 1, x.data(), 120, 0, y.data(), 105, 2, nullptr),
              SPTUNE_OK);
    const std::vector<double> second(x.begin() + 120, x.end());
    expect_near(std::vector<double>(y.begin() + 105, y.end()), m.times(1, second, 0, y));
}

/// A program that was compiled for an earlier version, whose options ended with `variants`.
TEST(CInterface, OptionsOfAnEarlierVersionAreEnough) {
    constexpr std::size_t kSize = offsetof(sptune_options, backend);
    sptune_options options = usual_options();
    options.threads = -1;
    options.epsilon = 7;
    sptune_options_init_sized(&options, kSize);
    EXPECT_EQ(options.size, kSize);
    EXPECT_EQ(options.epsilon, 7) << "this memory belongs to the program";
    const Matrix m(100);
    EXPECT_EQ(Plan(m, options).status, SPTUNE_OK) << sptune_last_error();
    options.variants = "nothing";
    EXPECT_EQ(Plan(m, options).status, SPTUNE_UNMET_CONSTRAINT);
}

TEST(CInterface, OptionsOfProductsArrive) {
    const Matrix m(100);
    const sptune_csr a = c_view(m);
    const struct {
        std::function<void(sptune_spgemm_options&)> set;
        const char* words;
    } cases[] = {
        {[](auto& o) { o.backend = static_cast<sptune_backend>(17); }, "unknown backend"},
        {[](auto& o) { o.variant = "spgemm.cpu.no.such"; }, "no.such"},
        {[](auto& o) { o.threads = -1; }, "threads must"},
    };
    sptune_matrix* c = nullptr;
    sptune_spgemm_options options;
    for (const auto& one : cases) {
        sptune_spgemm_options_init(&options);
        one.set(options);
        EXPECT_ANSWER(SPTUNE_INVALID_ARGUMENT, one.words, sptune_auto_spgemm(&a, &a, &options, &c));
    }
    sptune_spgemm_options_init(&options);
    options.database = "/nonexistent/database";
    ASSERT_EQ(sptune_auto_spgemm(&a, &a, &options, &c), SPTUNE_OK) << sptune_last_error();
    char text[4096];
    EXPECT_EQ(sptune_matrix_why(c, text, sizeof text, nullptr), SPTUNE_OK);
    EXPECT_NE(std::strstr(text, "/nonexistent/database"), nullptr) << text;
    sptune_matrix_destroy(c);
}

/// (1 1; 0 1) (1 0; -1 1) = (0 1; -1 1)
TEST(CInterface, ZerosCanBeDropped) {
    const std::int32_t upper[] = {0, 2, 3}, lower[] = {0, 1, 3}, at[] = {0, 1, 1},
                       other[] = {0, 0, 1};
    const double ones[] = {1, 1, 1}, signs[] = {1, -1, 1};
    const sptune_csr a{2, 2, upper, at, ones, -1, SPTUNE_F64, SPTUNE_I32},
        b{2, 2, lower, other, signs, -1, SPTUNE_F64, SPTUNE_I32};
    for (const int drop : {0, 1}) {
        sptune_spgemm_options options;
        sptune_spgemm_options_init(&options);
        options.drop_zeros = drop;
        sptune_matrix* c = nullptr;
        sptune_csr view;
        ASSERT_EQ(sptune_auto_spgemm(&a, &b, &options, &c), SPTUNE_OK) << sptune_last_error();
        ASSERT_EQ(sptune_matrix_view(c, &view), SPTUNE_OK);
        EXPECT_EQ(view.nnz, drop ? 3 : 4);
        sptune_matrix_destroy(c);
    }
}

TEST(CInterface, WhatIsMissingOrUnknownIsRefused) {
    const Matrix m(100);
    const sptune_csr a = c_view(m);
    sptune_csr odd_value = a, odd_index = a, wide = a, large = a;
    odd_value.value = static_cast<sptune_value>(7);
    odd_index.index = static_cast<sptune_index>(7);
    wide.index = SPTUNE_I64;
    large.nnz = 1ll << 32;
    sptune_plan* plan = nullptr;
    sptune_matrix* c = nullptr;
    const auto refused = [](const char* words, sptune_status status) {
        EXPECT_ANSWER(SPTUNE_INVALID_ARGUMENT, words, status);
    };
    refused("unknown value type", sptune_plan_create(&odd_value, nullptr, &plan));
    refused("unknown index type", sptune_plan_create(&odd_index, nullptr, &plan));
    refused("too large for 32-bit", sptune_plan_create(&large, nullptr, &plan));
    refused("no place for the plan", sptune_plan_create(&a, nullptr, nullptr));
    refused("the plan is NULL", sptune_plan_apply(nullptr, 1, nullptr, 0, nullptr, nullptr));
    refused("the plan is NULL", sptune_plan_update_values(nullptr, m.values.data()));
    refused("the plan is NULL", sptune_plan_why(nullptr, nullptr, 0, nullptr));
    refused("the matrix is NULL", sptune_why(nullptr, nullptr, 0, nullptr));
    refused("no place for C", sptune_auto_spgemm(&a, &a, nullptr, nullptr));
    refused("a matrix is NULL", sptune_auto_spgemm(&a, nullptr, nullptr, &c));
    refused("differ in the type of their row pointers", sptune_auto_spgemm(&a, &wide, nullptr, &c));
    refused("the matrix is NULL", sptune_matrix_view(nullptr, &wide));
    EXPECT_EQ(sptune_matrix_location(nullptr), SPTUNE_ANY);
    EXPECT_EQ(sptune_matrix_made_by(nullptr), nullptr);
    ASSERT_EQ(sptune_auto_spgemm(&a, &a, nullptr, &c), SPTUNE_OK) << sptune_last_error();
    refused("no place for the view", sptune_matrix_view(c, nullptr));
    sptune_matrix_destroy(c);
    ASSERT_EQ(sptune_plan_create(&a, nullptr, &plan), SPTUNE_OK) << sptune_last_error();
    refused("values is null", sptune_plan_update_values(plan, nullptr));
    refused("no place for the text", sptune_plan_why(plan, nullptr, 10, nullptr));
    sptune_plan_destroy(plan);
}

TEST(CInterface, TextFitsIntoWhatItIsSaidToNeed) {
    const Plan plan(Matrix(100), usual_options());
    std::size_t needed = 0;
    ASSERT_EQ(sptune_plan_why(plan.made, nullptr, 0, &needed), SPTUNE_OK);
    std::string text(needed + 1, '?');
    ASSERT_EQ(sptune_plan_why(plan.made, text.data(), needed, nullptr), SPTUNE_OK);
    EXPECT_EQ(text.substr(needed - 2), std::string(".\0?", 3)) << text;
}

TEST(CInterface, WhatIsForgottenHasNoReasons) {
    const Matrix m(100);
    const sptune_csr a = c_view(m);
    const auto x = wavy<double>(100);
    std::vector<double> y(100);
    char text[4096];
    ASSERT_EQ(sptune_auto_spmv(&a, 1, x.data(), 0, y.data(), nullptr), SPTUNE_OK);
    ASSERT_EQ(sptune_why(&a, text, sizeof text, nullptr), SPTUNE_OK);
    EXPECT_NE(std::strlen(text), 0u);
    ASSERT_EQ(sptune_forget(&a), SPTUNE_OK);
    ASSERT_EQ(sptune_why(&a, text, sizeof text, nullptr), SPTUNE_OK);
    EXPECT_STREQ(text, "");
}

}  // namespace
