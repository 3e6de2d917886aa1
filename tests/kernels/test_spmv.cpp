// Every kernel of the registry against the reference, on awkward matrices. A kernel that is legal
// for none of them fails: no variant without an equivalence test.
#include "kernels/registry.hpp"
#include "kernels/simd_target.hpp"
#include "kernels/spmv/hdia/format.hpp"
#include "matrix/error.hpp"
#include "matrix/generate.hpp"
#include "tests/kernels/spmv_cases.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <string>

#include <gtest/gtest.h>
#include <omp.h>

namespace sptune {
namespace {

/// Runs `kernel` and returns the first wrong row, or -1.
template <class T, class P>
index_t first_wrong_row(const SpmvKernel<T, P>& kernel, const Storage& storage, const Case<T, P>& c,
                        T alpha, T beta, int threads) {
    const index_t rows = c.a.rows;
    Buffer<T> y(static_cast<std::size_t>(rows));
    for (index_t i = 0; i < rows; ++i)
        y[i] = beta == T{0} ? std::numeric_limits<T>::quiet_NaN() : c.before[i];
    kernel.apply(storage, alpha, c.x.data(), beta, y.data(), {threads});
    for (index_t i = 0; i < rows; ++i) {
        if (!c.accepts(i, alpha, beta, y[i])) return i;
    }
    return -1;
}

template <class Types>
class Spmv : public ::testing::Test {};
using AllTypes = ::testing::Types<std::pair<float, std::int32_t>, std::pair<float, std::int64_t>,
                                  std::pair<double, std::int32_t>, std::pair<double, std::int64_t>>;
TYPED_TEST_SUITE(Spmv, AllTypes);

TYPED_TEST(Spmv, EveryKernelEqualsTheReference) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const auto cases = awkward<T, P>();
    struct Scale {
        T alpha, beta;
    };
    const Scale scales[] = {{1, 0}, {T(1.5), T(-0.5)}, {0, 1}, {1, 1}, {-1, 1}, {0, 0}};
    std::cout << "kernels run with " << simd_target() << "\n";
    for (const auto& kernel : spmv_kernels<T, P>(Backend::cpu)) {
        const std::string id = kernel.variant.id();
        int legal = 0;
        for (const auto& c : cases) {
            const auto a = c.a.view();
            if (!kernel.inspect(a, c.features, kernel.variant.params).illegal.empty()) continue;
            ++legal;
            for (const int threads : {1, 3}) {
                const auto storage = kernel.convert(a, kernel.variant.params, threads);
                EXPECT_GE(storage->stored(), static_cast<std::uint64_t>(a.nnz())) << id << c.name;
                for (const Scale s : scales)
                    ASSERT_EQ(first_wrong_row(kernel, *storage, c, s.alpha, s.beta, threads), -1)
                        << id << " on " << c.name << ", threads " << threads << ", alpha "
                        << s.alpha << ", beta " << s.beta;
            }
        }
        EXPECT_GT(legal, 0) << id << " was never legal and so never tested";
    }
}

TYPED_TEST(Spmv, NoRowsNeedNoArrays) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    for (const index_t cols : {0, 70000}) {
        const CsrView<T, P> none{0, cols, nullptr, nullptr, nullptr, 0};
        const Features features = extract_features(none);
        const Buffer<T> x(static_cast<std::size_t>(cols), T{1});
        for (const auto& kernel : spmv_kernels<T, P>(Backend::cpu)) {
            if (!kernel.inspect(none, features, kernel.variant.params).illegal.empty()) continue;
            const auto storage = kernel.convert(none, kernel.variant.params, 2);
            kernel.apply(*storage, T{1}, x.data(), T{0}, nullptr, {2});
        }
    }
}

TYPED_TEST(Spmv, FootprintsAreHonest) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    for (const auto& c : awkward<T, P>()) {
        const auto a = c.a.view();
        for (const auto& kernel : spmv_kernels<T, P>(Backend::cpu)) {
            if (kernel.variant.vendor) continue;  // what a library holds is its own affair
            const Footprint f = kernel.inspect(a, c.features, kernel.variant.params);
            if (!f.illegal.empty()) continue;
            // CSC makes a band for each thread, but for no more of them than inspect counted.
            const int threads = kernel.variant.format == "csc" ? 64 : 0;
            const auto storage = kernel.convert(a, kernel.variant.params, threads);
            EXPECT_LE(f.moved_bytes, storage->bytes()) << kernel.variant.id() << " on " << c.name;
            EXPECT_GE(f.storage_bytes, storage->held_bytes())
                << kernel.variant.id() << " on " << c.name;
        }
    }
}

TYPED_TEST(Spmv, DiagonalsThatAreAnEstimateAreCounted) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const auto band = generate<T, P>({"banded", {{"rows", 5000}}});
    const Features exact = extract_features(band.view());
    Features estimate = exact;
    estimate.diagonals = 1;
    estimate.passed_share = 0.25;
    int seen = 0;
    for (const auto& kernel : spmv_kernels<T, P>(Backend::cpu)) {
        if (kernel.variant.vendor || kernel.variant.format != "dia") continue;
        const Params& params = kernel.variant.params;
        EXPECT_EQ(kernel.inspect(band.view(), exact, params).storage_bytes,
                  kernel.inspect(band.view(), estimate, params).storage_bytes)
            << kernel.variant.id();
        ++seen;
    }
    EXPECT_GT(seen, 0);
}

TYPED_TEST(Spmv, DeterministicKernelsRepeatToTheBit) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const auto c = make<T, P>("random", 700, random_rows(1000, 700, 12, 9));
    const auto a = c.a.view();
    Buffer<T> first(a.rows), again(a.rows);
    for (const auto& kernel : spmv_kernels<T, P>(Backend::cpu)) {
        if (!kernel.variant.deterministic || kernel.variant.vendor) continue;
        if (!kernel.inspect(a, c.features, kernel.variant.params).illegal.empty()) continue;
        const auto storage = kernel.convert(a, kernel.variant.params, 2);
        kernel.apply(*storage, 1, c.x.data(), 0, first.data(), {2});
        for (int run = 0; run < 3; ++run) {
            kernel.apply(*storage, 1, c.x.data(), 0, again.data(), {2});
            ASSERT_TRUE(std::equal(first.begin(), first.end(), again.begin()))
                << kernel.variant.id();
        }
    }
}

TYPED_TEST(Spmv, HoweverManyThreadsOpenMpDelivers) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const auto c = make<T, P>("random", 700, random_rows(1000, 700, 12, 9));
    const auto a = c.a.view();
    Buffer<T> first(a.rows), inside(a.rows);
    for (const auto& kernel : spmv_kernels<T, P>(Backend::cpu)) {
        if (!kernel.variant.deterministic || kernel.variant.vendor) continue;
        if (!kernel.inspect(a, c.features, kernel.variant.params).illegal.empty()) continue;
        const auto storage = kernel.convert(a, kernel.variant.params, 3);
        kernel.apply(*storage, 1, c.x.data(), 0, first.data(), {3});
        // A region inside of another gets one thread.
#pragma omp parallel num_threads(2)
#pragma omp single
        kernel.apply(*storage, 1, c.x.data(), 0, inside.data(), {3});
        ASSERT_TRUE(std::equal(first.begin(), first.end(), inside.begin())) << kernel.variant.id();
    }
}

TYPED_TEST(Spmv, RowsAreSortedWhereThatSavesEnough) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    constexpr index_t kRows = 4096;
    const auto rows_longer_each = [](index_t each) {
        std::vector<std::vector<index_t>> lists(kRows, {1, 5, 9});
        for (index_t i = 0; i < kRows; i += each) lists[i] = {0, 1, 2, 3, 4};
        return make<T, P>("some longer", kRows, lists);
    };
    // In slices of 8 rows sorting saves two entries of nearly all rows, or of one in 64.
    for (const index_t each : {8, 512}) {
        const auto c = rows_longer_each(each);
        std::map<std::string, std::uint64_t> bytes, stored;
        for (const auto& kernel : spmv_kernels<T, P>(Backend::cpu)) {
            const std::string& layout = kernel.variant.layout;
            if (layout != "sell.c8.s1.x32" && layout != "sell.c8.s4096.x32") continue;
            const auto storage = kernel.convert(c.a.view(), kernel.variant.params, 2);
            EXPECT_EQ(first_wrong_row(kernel, *storage, c, T{1}, T{0}, 2), -1) << layout;
            const Footprint f = kernel.inspect(c.a.view(), c.features, kernel.variant.params);
            EXPECT_EQ(f.storage_bytes, storage->bytes()) << layout;
            bytes[layout] = storage->bytes(), stored[layout] = storage->stored();
        }
        ASSERT_EQ(bytes.size(), 2u);
        if (each == 8) {
            EXPECT_LT(stored["sell.c8.s4096.x32"], 0.7 * stored["sell.c8.s1.x32"]);
        } else {
            EXPECT_EQ(bytes["sell.c8.s4096.x32"], bytes["sell.c8.s1.x32"]) << "without an order";
            EXPECT_EQ(stored["sell.c8.s4096.x32"], stored["sell.c8.s1.x32"]);
        }
    }
}

TYPED_TEST(Spmv, SlicesOfOtherThreadsAreLookedAtAnew) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    // Odd rows have more entries. Sorted in two shares their slices reach over half the columns, in
    // one over all.
    constexpr index_t kRows = 100'000;
    std::vector<std::vector<index_t>> lists(kRows);
    for (index_t i = 0; i < kRows; ++i) {
        if (i % 2) lists[i].push_back(i - 1);
        lists[i].push_back(i);
        if (i % 2 && i + 1 < kRows) lists[i].push_back(i + 1);
    }
    const auto c = make<T, P>("odd rows", kRows, lists);
    const auto a = c.a.view();
    const int threads = omp_get_max_threads();
    for (const auto& kernel : spmv_kernels<T, P>(Backend::cpu)) {
        if (kernel.variant.layout != "sell.c32.sn.x16") continue;
        const Params& params = kernel.variant.params;
        omp_set_num_threads(2);
        EXPECT_EQ(kernel.inspect(a, c.features, params).illegal, "");
        const auto storage = kernel.convert(a, params, 1);
        EXPECT_EQ(first_wrong_row(kernel, *storage, c, T{1}, T{0}, 1), -1);
        omp_set_num_threads(1);
        EXPECT_NE(kernel.inspect(a, c.features, params).illegal, "");
        EXPECT_THROW(kernel.convert(a, params, 1), Error);
        omp_set_num_threads(threads);
        return;
    }
    FAIL() << "there is no such kernel";
}

/// A fifth of the entries of a matrix with clear diagonals left out, and some long rows.
template <class T, class P>
Csr<T, P> broken_diagonals(index_t rows, int long_rows) {
    std::vector<std::vector<index_t>> lists(static_cast<std::size_t>(rows));
    std::mt19937 random(5);
    for (index_t i = 0; i < rows; ++i)
        for (const index_t d : {-200, -100, -1, 0, 1, 100, 200}) {
            const bool kept = d == 0 || random() % 5 > 0;
            if (kept && i + d >= 0 && i + d < rows) lists[i].push_back(i + d);
        }
    for (int k = 0; k < long_rows; ++k) {
        auto& list = lists[static_cast<std::size_t>(rows / 3 + 1000 * k)];
        list.clear();
        for (index_t j = 0; j < 9000; ++j) list.push_back(j);
    }
    return make<T, P>("broken", rows, lists).a;
}

TYPED_TEST(Spmv, EstimatesAreCloseToWhatIsFound) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    for (const int long_rows : {0, 1, 5}) {
        const Csr<T, P> matrix = broken_diagonals<T, P>(20000, long_rows);
        const auto a = matrix.view();
        const Features features = extract_features(a);
        int estimated = 0;
        for (const auto& kernel : spmv_kernels<T, P>(Backend::cpu)) {
            if (!kernel.estimate) continue;
            const Params& params = kernel.variant.params;
            const LayoutEstimate told = kernel.estimate(a, features, {&params, 1}).front();
            const double found =
                static_cast<double>(kernel.inspect(a, features, params).moved_bytes);
            EXPECT_NEAR(told.bytes / found, 1, 0.08)
                << kernel.variant.id() << ", long rows: " << long_rows;
            const auto storage = kernel.convert(a, params, 2);
            const auto& hdia = dynamic_cast<const HdiaStorage<T>&>(*storage);
            const double gathered =
                static_cast<double>(hdia.column.size() + hdia.beside.column.size());
            EXPECT_EQ(hdia.beside.count(), long_rows);
            EXPECT_NEAR(told.gathered, gathered, 0.06 * static_cast<double>(storage->stored()))
                << kernel.variant.id() << ", long rows: " << long_rows;
            ++estimated;
        }
        EXPECT_GT(estimated, 0);
    }
}

TYPED_TEST(Spmv, EstimatesTellWhereALayoutIsPointless) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    const auto scattered = make<T, P>("random", 9000, random_rows(9000, 9000, 12, 9));
    // Rows so long that a few of them would take as long as all.
    const auto wide = make<T, P>("wide", 400, random_rows(300, 400, 200, 9));
    const auto none = make<T, P>("no rows", 0, {});
    const auto band = generate<T, P>({"banded", {{"rows", 5000}}});
    const Features of_band = extract_features(band.view());
    for (const auto& kernel : spmv_kernels<T, P>(Backend::cpu)) {
        if (!kernel.estimate) continue;
        const std::span<const Params> params(&kernel.variant.params, 1);
        const double told =
            kernel.estimate(scattered.a.view(), scattered.features, params)[0].bytes;
        EXPECT_EQ(std::isinf(told),
                  !kernel.inspect(scattered.a.view(), scattered.features, kernel.variant.params)
                       .illegal.empty())
            << kernel.variant.id();
        EXPECT_GT(wide.features.diagonal_runs, 0.25);
        EXPECT_EQ(kernel.estimate(wide.a.view(), wide.features, params)[0].bytes, 0) << "not told";
        EXPECT_EQ(kernel.estimate(band.view(), of_band, params)[0].bytes, 0)
            << "features tell enough";
        EXPECT_EQ(kernel.estimate(none.a.view(), none.features, params)[0].bytes, 0);
    }
}

}  // namespace
}  // namespace sptune
