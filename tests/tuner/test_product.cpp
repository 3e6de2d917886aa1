// Verifying and sweeping products: what is right passes, what is wrong in any way does not win.
#include "kernels/spgemm/host_product.hpp"
#include "kernels/spgemm/kernel_list.hpp"
#include "kernels/spgemm/registry.hpp"
#include "tests/tuner/fake.hpp"
#include "tuner/multiply.hpp"
#include "tuner/sweep_product.hpp"
#include "tuner/verify_product.hpp"

#include <gtest/gtest.h>

namespace sptune::tuner {
namespace {

using Kernel = SpgemmKernel<double, std::int32_t>;

enum Fault { none, wrong_value, nan_value, missing_entry, wrong_column, unsorted, too_small };

/// A·A for the tridiagonal matrix of fake.hpp, right but for one fault.
Csr<double> product(int fault) {
    const Csr<double> a = fake::matrix();
    const SpgemmReference r = reference_spgemm(a.view(), a.view());
    const std::size_t nnz = r.col_idx.size();
    Csr<double> c{4, 4, Buffer<int>(5), Buffer<index_t>(nnz), Buffer<double>(nnz)};
    for (std::size_t i = 0; i < 5; ++i) c.row_ptr[i] = static_cast<int>(r.row_ptr[i]);
    for (std::size_t k = 0; k < nnz; ++k) {
        c.col_idx[k] = r.col_idx[k];
        c.values[k] = r.values[k];
    }
    if (fault == wrong_value) c.values[5] *= 1 + 1e-12;
    if (fault == nan_value) c.values[5] = 0.0 / 0.0 * c.values[5];
    if (fault == missing_entry) --c.row_ptr[4];
    if (fault == wrong_column) c.col_idx[0] = 3;
    if (fault == unsorted) {
        std::swap(c.col_idx[0], c.col_idx[1]);
        std::swap(c.values[0], c.values[1]);
    }
    if (fault == too_small) c.rows = 3;
    return c;
}

ProductFeatures features_of(const Csr<double>& a) {
    return product_features(a.view(), a.view(), 1, 1);
}

TEST(ProductCheck, OnlyTheRightProductPasses) {
    const Csr<double> a = fake::matrix();
    const ProductCheck check(a.view(), a.view(), features_of(a));
    EXPECT_EQ(check.entries(), 14u);
    EXPECT_EQ(check.checked_share(), 1);
    EXPECT_TRUE(check.judge(product(none).view()).correct);
    EXPECT_LE(check.judge(product(none).view()).error, 1);
    for (const int fault :
         {wrong_value, nan_value, missing_entry, wrong_column, unsorted, too_small}) {
        const Verdict verdict = check.judge(product(fault).view());
        EXPECT_FALSE(verdict.correct) << fault;
        EXPECT_GT(verdict.error, 1) << fault;
        EXPECT_NE(verdict.complaint, "") << fault;
    }
}

TEST(ProductCheck, LargeProductsAreSampled) {
    Csr<double> a{2000, 2000, Buffer<int>(2001), Buffer<index_t>(4000), Buffer<double>(4000, 1.5)};
    for (int i = 0; i <= 2000; ++i) a.row_ptr[static_cast<std::size_t>(i)] = 2 * i;
    for (int i = 0; i < 2000; ++i) {
        a.col_idx[static_cast<std::size_t>(2 * i)] = std::min(i, 1998);
        a.col_idx[static_cast<std::size_t>(2 * i) + 1] = std::min(i, 1998) + 1;
    }
    const ProductCheck check(a.view(), a.view(), features_of(a), 1000);
    EXPECT_LT(check.checked_share(), 0.3);
    EXPECT_GT(check.checked_share(), 0);
}

/// Parameters: f fault, t microseconds of one call.
Kernel kernel(int fault, int us) {
    SpgemmKernelList<double> list;
    return add_spgemm_kernel<std::int32_t>(
        list, Backend::cpu, "csr", "fake", {{"f", fault}, {"t", us}},
        [](const SpgemmProblem<double, std::int32_t>&, const Params& p) {
            SpgemmFootprint f;
            if (get(p, "t") == 1) f.illegal = "it is against the law";
            return f;
        },
        [](const SpgemmProblem<double, std::int32_t>&, const SpgemmOperands*, const Params& p,
           const SpgemmOptions& options,
           SpgemmLaunch) -> std::unique_ptr<Product<double, std::int32_t>> {
            fake::now_us += get(p, "t");
            if (get(p, "t") == 2) throw OutOfMemory("a fake", options.memory_bytes);
            if (get(p, "t") == 3) require_countable<std::int32_t>(1ull << 31);
            return std::make_unique<HostProduct<double, std::int32_t>>(product(get(p, "f")));
        });
}

TEST(SweepProduct, TheFastestRightKernelWins) {
    const Csr<double> a = fake::matrix();
    const std::vector<Kernel> kernels{kernel(none, 500), kernel(none, 100), kernel(wrong_value, 50),
                                      kernel(none, 1),   kernel(none, 2),   kernel(none, 700),
                                      kernel(none, 3)};
    SweepOptions options;
    options.clock = fake::clock;
    const Features features = extract_features(a.view());
    const ProductFeatures pair = features_of(a);
    db::Device device;
    device.key = "fake";
    const SweepResult result = sweep_product_kernels(a.view(), a.view(), features, pair, kernels,
                                                     kernels[0].variant.id(), device, options);
    const db::Entry& e = result.entry;
    EXPECT_EQ(e.op, Op::spgemm);
    EXPECT_EQ(e.matrix.fingerprint, pair.fingerprint);
    EXPECT_EQ(e.features.fingerprint, pair.fingerprint);
    ASSERT_TRUE(e.product);
    EXPECT_EQ(e.product->products, pair.products);
    EXPECT_EQ(e.winner, kernels[1].variant.id());
    EXPECT_DOUBLE_EQ(e.speedup_vs_baseline, 5);
    EXPECT_TRUE(e.complete);
    using db::Status;
    const Status expected[] = {
        Status::ok, Status::ok,     Status::incorrect, Status::illegal, Status::out_of_memory,
        Status::ok, Status::illegal};
    for (std::size_t k = 0; k < kernels.size(); ++k)
        EXPECT_EQ(e.candidates[k].status, expected[k]) << k << e.candidates[k].reason;
    // 2 · products / time; the entries of C count as stored.
    EXPECT_DOUBLE_EQ(e.candidates[1].gflops, 2.0 * static_cast<double>(pair.products) / 100 / 1e3);
    EXPECT_EQ(e.candidates[1].stored, 14u);
}

/// One entry in every 40th place: blocks of 32 × 32 would be nearly empty.
Csr<double> scattered() {
    constexpr int kRows = 2000;
    Csr<double> a{kRows, kRows, Buffer<int>(kRows + 1), Buffer<index_t>(kRows),
                  Buffer<double>(kRows, 2.0)};
    for (int i = 0; i <= kRows; ++i) a.row_ptr[static_cast<std::size_t>(i)] = i;
    for (int i = 0; i < kRows; ++i) a.col_idx[static_cast<std::size_t>(i)] = i * 41 % kRows;
    return a;
}

TEST(MultiplySelected, AKernelThatIsNotLegalGivesWayToTheDefault) {
    const Csr<double> a = scattered();
    const ProductFeatures pair = features_of(a);
    const std::string illegal = "spgemm.cpu.bsr.rowwise.m32.s1.o1.p1.d16.f64.i32";
    EXPECT_THROW(multiply(a.view(), a.view(), pair, Backend::cpu, illegal, {}, 2), IllegalKernel);
    const auto done =
        multiply_selected(a.view(), a.view(), pair, Backend::cpu, {illegal, "database"}, {}, 2);
    EXPECT_EQ(done.selection.id,
              spgemm_default(Backend::cpu, ValueType::f64, IndexType::i32, pair.products_cv).id());
    EXPECT_EQ(done.selection.source, "default");
    EXPECT_NE(done.passed_over.find(illegal), std::string::npos);
    EXPECT_EQ(done.c.nnz(), 2000);
}

TEST(MultiplySelected, LittleMemoryTakesAThriftierKernel) {
    const Csr<double> a = scattered();
    const ProductFeatures pair = features_of(a);
    const std::string id =
        spgemm_default(Backend::cpu, ValueType::f64, IndexType::i32, pair.products_cv).id();
    SpgemmOptions options;
    options.memory_bytes = 2000 * 12 + 2001 * 12 + 1000;  // C, what counts rows, a small table
    const auto done =
        multiply_selected(a.view(), a.view(), pair, Backend::cpu, {id, "default"}, options, 2);
    EXPECT_EQ(done.selection.id, spgemm_thrifty_id(ValueType::f64, IndexType::i32));
    EXPECT_EQ(done.c.nnz(), 2000);
    EXPECT_NE(done.passed_over.find("bytes"), std::string::npos);
    options.memory_bytes = 2000 * 12;  // not even C fits
    EXPECT_THROW(
        multiply_selected(a.view(), a.view(), pair, Backend::cpu, {id, "default"}, options, 2),
        OutOfMemory);
    // What exists nowhere is an error, not a reason to take something else.
    EXPECT_THROW(
        multiply_selected(a.view(), a.view(), pair, Backend::cpu, {"nothing", "database"}, {}, 2),
        UsageError);
}

}  // namespace
}  // namespace sptune::tuner
