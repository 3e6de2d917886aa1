// What libsptune refuses, instead of reading or writing where it must not.
#include "sptune/sptune.h"
#include "tests/library/stencil.hpp"

#include <cstdlib>
#include <cstring>
#include <numeric>
#include <span>
#include <string>

#include <gtest/gtest.h>

namespace {

using sptune_test::Matrix;

/// The message, where `work` was refused as an invalid argument; else what happened.
template <class Work>
std::string refusal(const Work& work) {
    try {
        work();
    } catch (const sptune::error& e) {
        return e.code() == sptune::status::invalid_argument
                   ? e.what()
                   : "another status: " + std::string(e.what());
    }
    return "not refused";
}

#define EXPECT_REFUSED(words, ...)                                                 \
    do {                                                                           \
        const std::string what = refusal([&] { static_cast<void>(__VA_ARGS__); }); \
        EXPECT_NE(what.find(words), std::string::npos) << what;                    \
    } while (false)

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

TEST(Refusals, HaveAStatusAndAReason) {
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
    options.epsilon = 0;
    EXPECT_EQ(status_of(m.view(), options), sptune::status::invalid_argument);
    options = {};
    options.variants = "spmv.cpu.ell.*";  // all of which are converted to
    EXPECT_EQ(status_of(m.view(), options), sptune::status::ok);
    options.longest_conversion_us = 0;
    EXPECT_EQ(status_of(m.view(), options, &what), sptune::status::unmet_constraint);
    options.longest_conversion_us = 1e6;
    options.transposed = true;
    options.variants = "spmv.cpu.sell.simd.c4.*";
    // Row pointers, columns and values of the transpose, which is held beside what it becomes.
    const std::uint64_t transpose = 4 * 101 + 12 * m.values.size();
    options.memory_bytes = transpose * 3 / 2;
    EXPECT_EQ(status_of(m.view(), options, &what), sptune::status::unmet_constraint);
    options.memory_bytes = transpose * 4;
    EXPECT_EQ(status_of(m.view(), options, &what), sptune::status::ok) << what;
    options = {};
    options.backend = sptune::backend::cuda;
    EXPECT_EQ(status_of(m.view(), options, &what), sptune::status::unmet_constraint);
    EXPECT_NE(what.find("cuda takes arrays in the memory of the GPU"), std::string::npos) << what;
}

TEST(Refusals, StructuresThatLeadOutOfTheArrays) {
    for (const int rows : {3, 4000}) {  // one chunk, and many
        for (const bool transposed : {false, true}) {
            Matrix<double, std::int32_t> m(rows);
            sptune::plan_options options;
            options.transposed = transposed;
            const auto tried = [&] { sptune::plan(m.view(), options); };
            const auto middle = static_cast<std::size_t>(rows / 2);
            for (const int wrong : {-1, rows, 2'000'000'000}) {
                const int kept = std::exchange(m.col_idx[middle], wrong);
                EXPECT_REFUSED("col_idx[" + std::to_string(middle) + "], in row ", tried());
                m.col_idx[middle] = kept;
            }
            for (const int wrong : {-5, 5'000'000}) {
                const int kept = std::exchange(m.row_ptr[middle], wrong);
                EXPECT_REFUSED("row_ptr[" + std::to_string(middle), tried());
                m.row_ptr[middle] = kept;
            }
            tried();
        }
    }
    Matrix<double, std::int32_t> m(100);
    const Matrix<double, std::int32_t> good(100);
    m.col_idx[7] = 100;
    EXPECT_REFUSED("A: col_idx[7]", sptune::auto_spgemm(m.view(), m.view()));
    EXPECT_REFUSED("A: col_idx[7]", sptune::auto_spgemm(m.view(), good.view()));
    EXPECT_REFUSED("B: col_idx[7]", sptune::auto_spgemm(good.view(), m.view()));
    m.col_idx[7] = good.col_idx[7];
    m.row_ptr[0] = 1;
    EXPECT_REFUSED("row_ptr[0] is 1; expected 0", sptune::plan(m.view()));
    sptune::csr_view<double> a = good.view();
    a.cols = 0;
    EXPECT_REFUSED("there are entries, but no columns", sptune::plan(a));
}

TEST(Refusals, VectorsThatAreTooShortOrNotThere) {
    const Matrix<double, std::int32_t> m(100, 10);
    std::vector<double> x(110), y(100), few(99);
    EXPECT_REFUSED("as many entries as A has columns, 110, but only 99",
                   sptune::auto_spmv(m.view(), few, y));
    EXPECT_REFUSED("as many entries as A has rows, 100, but only 99",
                   sptune::auto_spmv(m.view(), x, few));
    auto plan = sptune::plan(m.view());
    EXPECT_REFUSED("x must have size_of_x() entries, 110, but only 99", plan.apply(few, y));
    EXPECT_REFUSED("y must have size_of_y() entries, 100, but only 99",
                   plan.apply(2, x, 0, std::span(few)));
    EXPECT_REFUSED("values must have as many entries as A, ", plan.update_values(few));
    plan.update_values(m.values);
    double* const none = nullptr;
    EXPECT_REFUSED("x is null", sptune::auto_spmv(m.view(), none, y.data()));
    EXPECT_REFUSED("y is null", sptune::auto_spmv(m.view(), x.data(), none));
    EXPECT_REFUSED("x is null", sptune::plan(m.view()).apply(none, y.data()));
}

TEST(Refusals, RowsThatOverlap) {
    const Matrix<double, std::int32_t> m(100, 10);
    auto plan = sptune::plan(m.view());
    std::vector<double> xs(110 * 5, 1.0), ys(100 * 3);
    const auto rows = [&](std::size_t ldx, std::size_t ldy, double* y) {
        plan.apply_many_rows(1, xs.data(), ldx, 0, y, ldy, 3);
    };
    EXPECT_REFUSED("ldx is 2, but each row of x has 3 entries", rows(2, 3, ys.data()));
    EXPECT_REFUSED("ldy is 2, but each row of y has 3 entries", rows(3, 2, ys.data()));
    EXPECT_REFUSED("is it negative?", rows(static_cast<std::size_t>(-3), 3, ys.data()));
    EXPECT_REFUSED("y is null", rows(3, 3, nullptr));
    EXPECT_REFUSED("some x and some y overlap", rows(3, 3, xs.data() + 3 * 109));
    EXPECT_REFUSED("some x and some y overlap", rows(5, 5, xs.data() + 2));
    std::vector<double> beside(110 * 6, 1.0);  // x and y are columns of one matrix
    plan.apply_many_rows(1, beside.data(), 6, 0, beside.data() + 3, 6, 3);
    const Matrix<double, std::int32_t> one(1);
    auto single = sptune::plan(one.view());
    EXPECT_REFUSED("ldx is 0", single.apply_many_rows(1, xs.data(), 0, 0, ys.data(), 3, 3));
    rows(3, 3, ys.data());
    EXPECT_EQ(beside[6 * 40 + 4], ys[3 * 40 + 1]);
}

TEST(Refusals, VectorsThatOverlap) {
    const Matrix<double, std::int32_t> m(100, 10);
    std::vector<double> v(400, 1.0);
    double* const p = v.data();
    for (const bool transposed : {false, true}) {
        sptune::plan_options options;
        options.transposed = transposed;
        const std::size_t in = transposed ? 100 : 110, out = transposed ? 110 : 100;
        auto plan = sptune::plan(m.view(), options);
        EXPECT_REFUSED("x and y overlap", plan.apply(p, p));
        EXPECT_REFUSED("x and y overlap", plan.apply(p, p + in - 1));
        EXPECT_REFUSED("x and y overlap", plan.apply(p + out - 1, p));
        plan.apply(p, p + in);
        plan.apply(p + out, p);
        std::vector<double> ys(2 * out);
        EXPECT_REFUSED("ldy is " + std::to_string(out - 1),
                       plan.apply_many(1, p, in, 0, ys.data(), out - 1, 2));
        EXPECT_REFUSED("ldy is 0", plan.apply_many(1, p, in, 0, ys.data(), 0, 2));
        const auto negative = static_cast<std::size_t>(-2);
        EXPECT_REFUSED("is it negative?",
                       plan.apply_many(1, p, in, 0, ys.data() + out, negative, 2));
        EXPECT_REFUSED("is it negative?", plan.apply_many(1, p, negative, 0, ys.data(), out, 2));
        EXPECT_REFUSED("x is null", plan.apply_many(1, nullptr, in, 0, ys.data(), out, 2));
        EXPECT_REFUSED("y is null", plan.apply_many(1, p, in, 0, nullptr, out, 2));
        plan.apply_many(1, nullptr, in, 0, nullptr, out, 0);
        plan.apply_many(1, p, in, 0, ys.data(), 0, 1);
        plan.apply_many(1, p, 0, 0, ys.data(), out, 2);
        EXPECT_EQ(ys[3], ys[out + 3]) << "one x for both";
        // The first y is the second x; what lies in turns is fine.
        EXPECT_REFUSED("some x and some y overlap", plan.apply_many(1, p, in, 0, p + in, out, 2));
        std::vector<double> turns(2 * (in + out), 1.0);
        plan.apply_many(1, turns.data(), in + out, 0, turns.data() + in, in + out, 2);
        plan.apply_many(1, turns.data() + out, in + out, 0, turns.data(), in + out, 2);
        EXPECT_REFUSED(
            "some x and some y overlap",
            plan.apply_many(1, turns.data() + out - 1, in + out, 0, turns.data(), in + out, 2));
        EXPECT_REFUSED("some x and some y overlap",
                       plan.apply_many(1, turns.data(), in + out, 0, turns.data() + in, out, 2));
    }
    EXPECT_REFUSED("x and y overlap", sptune::auto_spmv(m.view(), p, p));
    Matrix<double, std::int32_t> own(100, 10);
    EXPECT_REFUSED("y lies in an array of A",
                   sptune::auto_spmv(own.view(), p, own.values.data() + 1));
    auto plan = sptune::plan(own.view());
    for (void* const array :
         {static_cast<void*>(own.values.data()), static_cast<void*>(own.col_idx.data()),
          static_cast<void*>(own.row_ptr.data())})
        EXPECT_REFUSED("y lies in an array of A", plan.apply(p, static_cast<double*>(array)));
    std::vector<double> other = own.values;
    plan.update_values(other);
    EXPECT_REFUSED("y lies in an array of A", plan.apply(p, other.data()));
    plan.apply(p, own.values.data());
}

TEST(Refusals, WhatAnEnumOrACountCannotBe) {
    const Matrix<double, std::int32_t> m(100);
    sptune::csr_view<double> a = m.view();
    a.nnz = -2;
    EXPECT_REFUSED("nnz is -2", sptune::plan(a));
    const sptune_csr c{100,
                       100,
                       m.row_ptr.data(),
                       m.col_idx.data(),
                       m.values.data(),
                       -(1LL << 32) + 5,
                       SPTUNE_F64,
                       SPTUNE_I32};
    sptune_plan* plan = nullptr;
    EXPECT_EQ(sptune_plan_create(&c, nullptr, &plan), SPTUNE_INVALID_ARGUMENT);
    EXPECT_NE(std::strstr(sptune_last_error(), "nnz is negative"), nullptr);
    for (const int wrong : {-1, 3}) {
        sptune::plan_options options;
        options.backend = static_cast<sptune::backend>(wrong);
        EXPECT_REFUSED("backend: expected", sptune::plan(m.view(), options));
        options = {};
        options.online = static_cast<sptune::online>(wrong);
        EXPECT_REFUSED("online: expected", sptune::plan(m.view(), options));
        sptune::spgemm_options product;
        product.backend = static_cast<sptune::backend>(wrong);
        EXPECT_REFUSED("backend: expected", sptune::auto_spgemm(m.view(), m.view(), product));
    }
}

TEST(Refusals, AProductThatItsCapDoesNotHold) {
    const Matrix<double, std::int32_t> m(1000);
    sptune::spgemm_options options;
    options.memory_bytes = 1000;
    try {
        sptune::auto_spgemm(m.view(), m.view(), options);
        FAIL() << "not refused";
    } catch (const sptune::error& e) {
        EXPECT_EQ(e.code(), sptune::status::unmet_constraint);
        EXPECT_NE(std::strstr(e.what(), "memory_bytes: "), nullptr) << e.what();
        EXPECT_NE(std::strstr(e.what(), "1000 are allowed in all"), nullptr) << e.what();
    }
}

/// The outer product of two vectors of ones, 750 GB.
TEST(Refusals, AProductThatFitsItsCapButNoMemory) {
    constexpr int kLength = 250'000;
    const std::vector<std::int64_t> one_row{0, kLength};
    std::vector<std::int64_t> many_rows(kLength + 1);
    std::iota(many_rows.begin(), many_rows.end(), 0);
    std::vector<std::int32_t> all_columns(kLength);
    std::iota(all_columns.begin(), all_columns.end(), 0);
    const std::vector<std::int32_t> first_column(kLength, 0);
    const std::vector<double> ones(kLength, 1);
    const sptune::csr_view<double, std::int64_t> column{kLength, 1, many_rows.data(),
                                                        first_column.data(), ones.data()},
        row{1, kLength, one_row.data(), all_columns.data(), ones.data()};
    sptune::spgemm_options options;
    options.memory_bytes = 1ull << 60;
    try {
        sptune::auto_spgemm(column, row, options);
        FAIL() << "there was room for it";
    } catch (const sptune::error& e) {
        EXPECT_EQ(e.code(), sptune::status::out_of_memory) << e.what();
    }
}

TEST(Refusals, AnotherNumberOfEntriesThanRowPointersSay) {
    const Matrix<double, std::int32_t> m(100);
    std::vector<double> x(100, 1), y(100);
    sptune::csr_view<double> a = m.view();
    for (const std::int32_t said : {-1, m.row_ptr.back(), m.row_ptr.back() - 1}) {
        a.nnz = said;
        const auto multiply = [&] { sptune::auto_spmv(a, x.data(), y.data()); };
        if (said == m.row_ptr.back() - 1)
            EXPECT_REFUSED("nnz is " + std::to_string(said) + ", but row_ptr[100] is", multiply());
        else
            multiply();
    }
    a.nnz = -1;
    sptune::forget(a);
}

TEST(Refusals, WhatWasMovedFrom) {
    const Matrix<double, std::int32_t> m(100);
    const sptune::csr_view<double> a = m.view();
    std::vector<double> x(100, 1), y(100, 77);
    auto plan = sptune::plan(a);
    auto kept = std::move(plan);
    EXPECT_REFUSED("this plan was moved", plan.apply(x.data(), y.data()));
    EXPECT_REFUSED("this plan was moved", plan.apply_many(1, x.data(), 100, 0, y.data(), 100, 1));
    EXPECT_REFUSED("this plan was moved", plan.update_values(a.values));
    EXPECT_REFUSED("this plan was moved", plan.selection());
    EXPECT_REFUSED("this plan was moved", plan.why());
    EXPECT_EQ(y[50], 77);
    kept.apply(x.data(), y.data());
    EXPECT_NE(y[50], 77);
    auto product = sptune::auto_spgemm(a, a);
    const auto other = std::move(product);
    EXPECT_REFUSED("this csr_matrix was moved", product.view());
    EXPECT_REFUSED("this csr_matrix was moved", product.location());
    EXPECT_REFUSED("this csr_matrix was moved", product.made_by());
    EXPECT_REFUSED("this csr_matrix was moved", product.source());
    EXPECT_EQ(other.view().rows, 100);
}

TEST(Refusals, ThreadsWithoutEnd) {
    const Matrix<double, std::int32_t> m(100);
    sptune::plan_options options;
    sptune::spgemm_options product;
    for (const int threads : {-1, 100'000}) {
        options.threads = product.threads = threads;
        EXPECT_REFUSED("threads must be 0 (all) to 4096", sptune::plan(m.view(), options));
        EXPECT_REFUSED("threads must be 0 (all) to 4096",
                       sptune::auto_spgemm(m.view(), m.view(), product));
    }
}

TEST(Refusals, OptionsOfCThatNobodyInitialised) {
    const Matrix<double, std::int32_t> m(100);
    const sptune_csr a{100, 100,        m.row_ptr.data(), m.col_idx.data(), m.values.data(),
                       -1,  SPTUNE_F64, SPTUNE_I32};
    sptune_options options;
    std::memset(&options, 0, sizeof options);
    sptune_plan* plan = nullptr;
    EXPECT_EQ(sptune_plan_create(&a, &options, &plan), SPTUNE_INVALID_ARGUMENT);
    EXPECT_NE(std::strstr(sptune_last_error(), "sptune_options_init()"), nullptr);
    sptune_spgemm_options product;
    std::memset(&product, 0, sizeof product);
    sptune_matrix* c = nullptr;
    EXPECT_EQ(sptune_auto_spgemm(&a, &a, &product, &c), SPTUNE_INVALID_ARGUMENT);
    EXPECT_NE(std::strstr(sptune_last_error(), "sptune_spgemm_options_init()"), nullptr);
    sptune_options_init(&options);
    ASSERT_EQ(sptune_plan_create(&a, &options, &plan), SPTUNE_OK) << sptune_last_error();
    EXPECT_EQ(sptune_plan_apply(plan, 1, nullptr, 0, nullptr, nullptr), SPTUNE_INVALID_ARGUMENT);
    sptune_plan_destroy(plan);
}

TEST(Refusals, AModelThatIsNone) {
    const Matrix<double, std::int32_t> m(100);
    setenv("SPTUNE_MODEL", "/nonexistent/model.sptm", 1);
    EXPECT_REFUSED("SPTUNE_MODEL: /nonexistent/model.sptm", sptune::plan(m.view()));
    std::vector<double> x(100), y(100);
    EXPECT_REFUSED("SPTUNE_MODEL: /nonexistent/model.sptm", sptune::auto_spmv(m.view(), x, y));
    EXPECT_REFUSED("SPTUNE_MODEL: /nonexistent/model.sptm",
                   sptune::auto_spgemm(m.view(), m.view()));
    unsetenv("SPTUNE_MODEL");
    setenv("SPTUNE_MODE", "nonsense", 1);
    EXPECT_REFUSED("SPTUNE_MODE: expected off, read or tune",
                   sptune::auto_spgemm(m.view(), m.view()));
    unsetenv("SPTUNE_MODE");
}

}  // namespace
