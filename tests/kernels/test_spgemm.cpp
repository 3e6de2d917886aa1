// Every SpGEMM kernel of the registry against the reference, on awkward pairs. A kernel that is
// legal for none of them fails: no variant without an equivalence test.
#include "kernels/spgemm/registry.hpp"
#include "tests/kernels/spgemm_cases.hpp"

#include <gtest/gtest.h>

namespace sptune {
namespace {

template <class Types>
class Spgemm : public ::testing::Test {};
using AllTypes = ::testing::Types<std::pair<float, std::int32_t>, std::pair<float, std::int64_t>,
                                  std::pair<double, std::int32_t>, std::pair<double, std::int64_t>>;
TYPED_TEST_SUITE(Spgemm, AllTypes);

template <class T, class P>
std::unique_ptr<Product<T, P>> run(const SpgemmKernel<T, P>& kernel, const PairCase<T, P>& c,
                                   const SpgemmOptions& options, int threads) {
    const SpgemmProblem<T, P> problem = c.problem();
    const Params& params = kernel.variant.params;
    std::unique_ptr<SpgemmOperands> operands;
    if (kernel.prepare) operands = kernel.prepare(problem, params, threads);
    return kernel.multiply(problem, operands.get(), params, options, {threads});
}

TYPED_TEST(Spgemm, EveryKernelEqualsTheReference) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const auto cases = awkward_pairs<T, P>();
    struct Way {
        int threads;
        bool sorted, drop;
    };
    const Way ways[] = {{1, true, false}, {3, true, false}, {3, false, true}};
    for (const auto& kernel : spgemm_kernels<T, P>(Backend::cpu)) {
        const std::string id = kernel.variant.id();
        int legal = 0;
        for (const auto& c : cases) {
            if (!is_worth_while(kernel.inspect(c.problem(), kernel.variant.params))) continue;
            ++legal;
            for (const Way& way : ways) {
                const auto product = run(kernel, c, {way.sorted, way.drop}, way.threads);
                ASSERT_EQ(
                    product_problem(product->view(), c.reference, c.b.cols, way.sorted, way.drop),
                    "")
                    << id << " on " << c.name << ", threads " << way.threads << ", sorted "
                    << way.sorted << ", drop " << way.drop;
            }
        }
        EXPECT_GT(legal, 0) << id << " was never legal and so never tested";
    }
}

TYPED_TEST(Spgemm, DeterministicKernelsRepeatToTheBit) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    PairCase<T, P> c;
    c.a = make<T, P>("", 700, random_rows(2000, 700, 6, 9)).a;
    c.b = make<T, P>("", 900, random_rows(700, 900, 6, 10)).a;
    c.solve();
    for (const auto& kernel : spgemm_kernels<T, P>(Backend::cpu)) {
        if (!kernel.variant.deterministic || kernel.variant.vendor) continue;
        if (!is_worth_while(kernel.inspect(c.problem(), kernel.variant.params))) continue;
        const auto first = run(kernel, c, {}, 2);
        for (int again = 0; again < 2; ++again) {
            const auto second = run(kernel, c, {}, 2);
            const auto v = first->view(), w = second->view();
            ASSERT_EQ(v.nnz(), w.nnz());
            ASSERT_TRUE(std::equal(v.values, v.values + v.nnz(), w.values)) << kernel.variant.id();
        }
    }
}

TEST(SpgemmLimits, TooLittleMemoryNamesTheBytes) {
    PairCase<double, std::int32_t> c;
    c.a = make<double, std::int32_t>("", 500, random_rows(500, 500, 20, 9)).a;
    c.b = make<double, std::int32_t>("", 500, random_rows(500, 500, 20, 10)).a;
    c.solve();
    const auto entries = static_cast<std::uint64_t>(c.reference.row_ptr.back());
    for (const auto& kernel : spgemm_kernels<double, std::int32_t>(Backend::cpu)) {
        if (kernel.variant.vendor) continue;
        SpgemmOptions options;
        options.memory_bytes = entries * 8;
        try {
            run(kernel, c, options, 2);
            FAIL() << kernel.variant.id() << " needs less than C does";
        } catch (const OutOfMemory& e) {
            EXPECT_GT(e.bytes, 0u);
        }
    }
}

TEST(SpgemmLimits, CountsBeyond32BitsAreRefusedInWords) {
    EXPECT_NO_THROW(require_countable<std::int32_t>(2147483647u));
    EXPECT_NO_THROW(require_countable<std::int64_t>(2147483648u));
    try {
        require_countable<std::int32_t>(2147483648u);
        FAIL();
    } catch (const SizeOverflow& e) {
        EXPECT_NE(std::string(e.what()).find("64-bit"), std::string::npos);
    }
}

TEST(ProductFeatures, CountWhatTheReferenceCounts) {
    for (const auto& c : awkward_pairs<double, std::int32_t>()) {
        std::uint64_t products = 0, entries = c.reference.col_idx.size();
        for (const index_t terms : c.reference.terms) products += static_cast<std::uint64_t>(terms);
        EXPECT_EQ(c.features.products, products) << c.name;
        EXPECT_GE(c.features.upper_entries, entries) << c.name;
        for (const int threads : {1, 3})
            EXPECT_EQ(count_product_entries(c.a.view(), c.b.view(), threads), entries) << c.name;
        if (c.features.sampled_share == 1) {
            EXPECT_NEAR(c.features.estimated_entries, static_cast<double>(entries),
                        1e-9 * static_cast<double>(entries))
                << c.name;
        }
    }
}

TEST(SpgemmDefault, UnevenRowsAreClaimedAsThreadsGetFree) {
    const auto parts = [](double products_cv) {
        return get(spgemm_default(Backend::cpu, ValueType::f64, IndexType::i32, products_cv).params,
                   "d");
    };
    EXPECT_EQ(parts(0.9), 1);
    EXPECT_GT(parts(1.1), 1);
}

TEST(SpgemmEsc, RowsHaveNoMoreProductsThanItCanName) {
    const auto a = make<double, std::int32_t>("", 3, {{0}, {1}, {2}}).a;
    SpgemmProblem<double, std::int32_t> problem{a.view(), a.view()};
    for (const auto& kernel : spgemm_kernels<double, std::int32_t>(Backend::cpu)) {
        if (kernel.variant.algorithm != "esc") continue;
        problem.longest_row = 0xffffffff;
        EXPECT_EQ(kernel.inspect(problem, kernel.variant.params).illegal, "");
        ++problem.longest_row;
        EXPECT_NE(kernel.inspect(problem, kernel.variant.params).illegal, "");
    }
}

TEST(ProductFeatures, PairsAreToldApart) {
    EXPECT_NE(pair_fingerprint(1, 2), pair_fingerprint(2, 1));
    EXPECT_NE(pair_fingerprint(1, 1), pair_fingerprint(2, 2));
    EXPECT_EQ(pair_fingerprint(5, 6), pair_fingerprint(5, 6));
}

TEST(ProductFeatures, ASampleEstimatesTheCompression) {
    const auto a = make<double, std::int32_t>("", 5000, random_rows(5000, 5000, 12, 31)).a;
    const auto all = product_features(a.view(), a.view(), 1, 1, 0, ~0ull);
    const auto some = product_features(a.view(), a.view(), 1, 1, 0, 50'000);
    EXPECT_EQ(all.sampled_share, 1);
    EXPECT_LT(some.sampled_share, 0.2);
    EXPECT_GT(some.sampled_share, 0);
    EXPECT_NEAR(some.estimated_entries / all.estimated_entries, 1, 0.05);
}

/// The same columns far apart, for which there is no array.
TEST(ProductFeatures, ManyColumnsAreCountedAsFewAre) {
    const auto a = make<double, std::int32_t>("", 500, random_rows(500, 500, 12, 31)).a;
    auto wide = make<double, std::int32_t>("", 500, random_rows(500, 500, 12, 31)).a;
    wide.cols = 2'000'000'000;
    for (index_t& c : wide.col_idx) c *= 4'000'000;
    const auto narrow = product_features(a.view(), a.view(), 1, 1);
    const auto found = product_features(a.view(), wide.view(), 1, 1);
    EXPECT_GT(narrow.compression, 1.05);
    EXPECT_EQ(found.compression, narrow.compression);
}

}  // namespace
}  // namespace sptune
