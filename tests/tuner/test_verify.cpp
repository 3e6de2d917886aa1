#include "fake.hpp"
#include "tuner/verify.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

Verdict verdict_on(fake::Kind kind) {
    const Csr<double> a = fake::matrix();
    Problem<double> problem = make_problem(a.view(), 1);
    const SpmvKernel<double, std::int32_t> kernel = fake::kernel(kind, 1);
    const auto storage = kernel.convert(a.view(), kernel.variant.params, 1);
    return verify(kernel, *storage, problem, 1);
}

TEST(Verify, AcceptsWhatIsRight) {
    const Verdict v = verdict_on(fake::right);
    EXPECT_TRUE(v.correct);
    EXPECT_LE(v.error, 1);
    EXPECT_EQ(v.complaint, "");
}

TEST(Verify, CatchesEveryKindOfWrong) {
    EXPECT_EQ(verdict_on(fake::wrong_row).row, 1);
    for (const auto kind :
         {fake::wrong_row, fake::writes_nan, fake::leaves_rows, fake::ignores_beta}) {
        const Verdict v = verdict_on(kind);
        EXPECT_FALSE(v.correct) << kind;
        EXPECT_GT(v.error, 1) << kind;
        EXPECT_TRUE(std::isfinite(v.error)) << kind;
        EXPECT_NE(v.complaint.find("expected"), std::string::npos) << kind;
    }
    EXPECT_EQ(verdict_on(fake::writes_nan).row, 3);
}

TEST(Verify, ValuesThatAreMixedUpShow) {
    const Csr<double> a = fake::matrix();
    const Buffer<double> values = varied_values(a.view(), 1);
    Buffer<double> mixed = varied_values(a.view(), 1);
    std::swap(mixed[0], mixed[1]);
    CsrView<double, std::int32_t> right = a.view(), wrong = a.view();
    right.values = values.data(), wrong.values = mixed.data();
    Problem<double> problem = make_problem(right, 1);
    const auto kernel = fake::kernel(fake::right, 1);
    const auto is_correct = [&](const CsrView<double, std::int32_t>& converted) {
        const auto storage = kernel.convert(converted, kernel.variant.params, 1);
        return verify(kernel, *storage, problem, 1).correct;
    };
    EXPECT_TRUE(is_correct(right));
    EXPECT_FALSE(is_correct(wrong));
}

/// y = (1 + E) αAx + βy, each row summed backwards in T.
struct Viewed final : Storage {
    CsrView<double> d;
    CsrView<float> f;
    double factor = 1;
    std::uint64_t bytes() const override { return 0; }
    std::uint64_t stored() const override { return 0; }
};
template <class T>
void apply_backwards(const CsrView<T>& a, double factor, T alpha, const T* x, T beta, T* y) {
    for (index_t i = 0; i < a.rows; ++i) {
        T sum = 0;
        for (int k = a.row_ptr[i + 1]; k-- > a.row_ptr[i];) sum += a.values[k] * x[a.col_idx[k]];
        sum = static_cast<T>(factor * sum);
        y[i] = beta == 0 ? alpha * sum : alpha * sum + beta * y[i];
    }
}
void apply_f64(const Storage& s, double al, const double* x, double be, double* y, Launch) {
    const auto& v = static_cast<const Viewed&>(s);
    apply_backwards(v.d, v.factor, al, x, be, y);
}
void apply_f32(const Storage& s, float al, const float* x, float be, float* y, Launch) {
    const auto& v = static_cast<const Viewed&>(s);
    apply_backwards(v.f, v.factor, al, x, be, y);
}

template <class T>
Csr<T> one_row(int n, T value) {
    Csr<T> a{1, n, Buffer<int>(2), Buffer<index_t>(static_cast<std::size_t>(n)),
             Buffer<T>(static_cast<std::size_t>(n), value)};
    a.row_ptr[0] = 0, a.row_ptr[1] = n;
    for (int j = 0; j < n; ++j) a.col_idx[static_cast<std::size_t>(j)] = j;
    return a;
}

TEST(Verify, AnotherOrderOfSummationIsRightButAMillionthIsNot) {
    const Csr<double> a = one_row(100'000, 1.0 / 3);
    Problem<double> problem = make_problem(a.view(), 3);
    SpmvKernel<double, std::int32_t> kernel;
    kernel.apply = apply_f64;
    Viewed s;
    s.d = a.view();
    EXPECT_TRUE(verify(kernel, s, problem, 1).correct);
    s.factor = 1 + 1e-6;
    EXPECT_FALSE(verify(kernel, s, problem, 1).correct);
}

TEST(Verify, SinglePrecisionHasItsOwnBound) {
    const Csr<float> a = one_row(10'000, 0.1f);
    Problem<float> problem = make_problem(a.view(), 3);
    SpmvKernel<float, std::int32_t> kernel;
    kernel.apply = apply_f32;
    Viewed s;
    s.f = a.view();
    EXPECT_TRUE(verify(kernel, s, problem, 1).correct);
    s.factor = 1.5;
    EXPECT_FALSE(verify(kernel, s, problem, 1).correct);
}

TEST(Verify, RowsThatMayOverflowPass) {
    const Csr<float> a = one_row(100, std::numeric_limits<float>::max());
    Problem<float> problem = make_problem(a.view(), 3);
    SpmvKernel<float, std::int32_t> kernel;
    kernel.apply = apply_f32;
    Viewed s;
    s.f = a.view();
    EXPECT_TRUE(verify(kernel, s, problem, 1).correct);
}

TEST(Verify, EmptyMatrixAndSubnormalValues) {
    Csr<double> none{0, 5, Buffer<int>(1, 0), {}, {}};
    Problem<double> problem = make_problem(none.view(), 1);
    SpmvKernel<double, std::int32_t> kernel;
    kernel.apply = apply_f64;
    Viewed s;
    s.d = none.view();
    const Verdict v = verify(kernel, s, problem, 1);
    EXPECT_TRUE(v.correct);
    EXPECT_EQ(v.row, -1);

    const Csr<double> tiny = one_row(10, 5e-324);
    problem = make_problem(tiny.view(), 1);
    s.d = tiny.view();
    EXPECT_TRUE(verify(kernel, s, problem, 1).correct);
}

/// y = βy, then each term is added to it, as kernels do that go through A by columns.
template <class T>
void add_one_by_one(const CsrView<T>& a, T alpha, const T* x, T beta, T* y) {
    for (index_t i = 0; i < a.rows; ++i) {
        y[i] = beta == 0 ? T{0} : beta * y[i];
        for (int k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
            y[i] += a.values[k] * (alpha * x[a.col_idx[k]]);
    }
}

TEST(Verify, SmallEntriesMayBeAddedToALargeYOneByOne) {
    const Csr<float> a = one_row(4000, 2e-8f);
    Problem<float> problem = make_problem(a.view(), 3);
    SpmvKernel<float, std::int32_t> kernel;
    kernel.apply = [](const Storage& from, float al, const float* x, float be, float* y, Launch) {
        add_one_by_one(static_cast<const Viewed&>(from).f, al, x, be, y);
    };
    Viewed s;
    s.f = a.view();
    const Verdict v = verify(kernel, s, problem, 1);
    EXPECT_TRUE(v.correct) << v.complaint;
}

TEST(Verify, BetaIsNotForgottenBesideLargeEntries) {
    const Csr<float> a = one_row(2000, 1e9f);
    Problem<float> problem = make_problem(a.view(), 3);
    SpmvKernel<float, std::int32_t> kernel;
    Viewed s;
    s.f = a.view();
    kernel.apply = apply_f32;
    EXPECT_TRUE(verify(kernel, s, problem, 1).correct);
    kernel.apply = [](const Storage& from, float al, const float* x, float be, float* y, Launch l) {
        if (be != 0) y[0] = 0;
        apply_f32(from, al, x, be, y, l);
    };
    EXPECT_FALSE(verify(kernel, s, problem, 1).correct);
}

/// A kernel that is wrong for some α and β alone.
template <class Wrong>
Verdict verdict_on(Wrong) {
    const Csr<double> a = one_row(10, 1.0);
    Problem<double> problem = make_problem(a.view(), 3);
    SpmvKernel<double, std::int32_t> kernel;
    kernel.apply = [](const Storage& from, double al, const double* x, double be, double* y,
                      Launch) {
        Viewed s = static_cast<const Viewed&>(from);
        Wrong()(s, al, be, y);
        apply_backwards(s.d, s.factor, al, x, be, y);
    };
    Viewed s;
    s.d = a.view();
    return verify(kernel, s, problem, 1);
}

TEST(Verify, CatchesWhatIsWrongForSomeFactorsAlone) {
    EXPECT_TRUE(verdict_on([](Viewed&, double, double, double*) {}).correct);
    EXPECT_FALSE(verdict_on([](Viewed&, double& alpha, double, double*) { alpha = 1; }).correct);
    EXPECT_FALSE(verdict_on([](Viewed&, double, double& beta, double*) {
                     if (beta == 0) beta = 1e-320;  // 0 · y, which is NaN where y is
                 }).correct);
    const Verdict first = verdict_on([](Viewed& s, double, double beta, double*) {
        if (beta == 0) s.factor = 1 + 1e-6;
    });
    EXPECT_FALSE(first.correct);
    EXPECT_GT(first.error, 1) << "the worst of all";
}

TEST(Problem, IsSeededAndWithoutZeros) {
    const Csr<double> a = one_row(1000, 1.0);
    const Problem<double> p = make_problem(a.view(), 5), q = make_problem(a.view(), 5),
                          r = make_problem(a.view(), 6);
    int differ = 0;
    for (std::size_t i = 0; i < 1000; ++i) {
        EXPECT_EQ(p.x[i], q.x[i]);
        EXPECT_NE(p.x[i], 0);
        EXPECT_LT(std::abs(p.x[i]), 1);
        differ += p.x[i] != r.x[i];
    }
    EXPECT_EQ(differ, 1000);
    EXPECT_EQ(p.used_cols, 1000u);
}

}  // namespace
}  // namespace sptune::tuner
