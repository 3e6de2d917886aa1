// Rows that slices are better off without.
#include "kernels/registry.hpp"
#include "kernels/spmv/hdia/format.hpp"
#include "kernels/spmv/long_rows.hpp"
#include "kernels/spmv/sell/format.hpp"
#include "tests/kernels/spmv_cases.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace sptune {
namespace {

std::int64_t width(std::vector<std::int64_t> lengths, int c, std::int64_t nnz) {
    return LongRowRule(nnz).width(lengths, c);
}

TEST(LongRows, AreThoseThatPadMoreThanTheyHold) {
    EXPECT_EQ(width({}, 8, 0), 0);
    EXPECT_EQ(width({3, 9, 255, 1}, 8, 10'000), 255) << "too short to be worth it";
    EXPECT_EQ(width({3, 9, 300, 1}, 8, 10'000), 9);
    EXPECT_EQ(width({3, 9, 300, 1000}, 8, 10'000), 9);
    EXPECT_EQ(width({300, 300, 300, 300}, 4, 10'000), 300) << "none pads another";
    EXPECT_EQ(width({300, 290, 310, 1000}, 4, 10'000), 310);
    EXPECT_EQ(width({3000, 2900, 2800, 2700}, 4, 10'000), 0) << "a thread each";
    EXPECT_EQ(width({3000, 2900, 2800, 2700}, 4, 10'000'000), 3000);
    EXPECT_EQ(width({9, 1'000'000}, 4, 5'000'000'000), 1'000'000) << "one of thousands";
}

TEST(LongRows, FitOnAStack) {
    for (const std::int64_t nnz : {1'000, 1'000'000, 12'345'678, 2'000'000'000})
        EXPECT_LE(nnz / LongRowRule(nnz).least(), LongRowRule::kMostLongRows);
}

/// Short rows in a band, some with an entry beside it, and each `every`-th with `length` entries.
Csr<double, std::int32_t> spiky(index_t rows, index_t every, index_t length) {
    std::vector<std::vector<index_t>> lists(static_cast<std::size_t>(rows));
    for (index_t i = 0; i < rows; ++i) {
        auto& list = lists[static_cast<std::size_t>(i)];
        if (i % every == every / 2)
            for (index_t j = 0; j < length; ++j) list.push_back(j * (rows / length));
        else
            for (index_t j = std::max(i - 1, 0); j <= std::min(i + 1, rows - 1); ++j)
                list.push_back(j);
        if (i % every != every / 2 && i % 3 == 0 && i + 60 < rows) list.push_back(i + 3 + i % 50);
    }
    return make<double, std::int32_t>("spiky", rows, lists).a;
}

TEST(LongRows, AreCutWhereverSharesEnd) {
    const Csr<double, std::int32_t> matrix = spiky(100'000, 22'000, 3'000);
    const auto a = matrix.view();
    const Features features = extract_features(a);
    const std::size_t n = static_cast<std::size_t>(a.rows);
    std::vector<double> x(n), expected(n), rounded(n), y(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<double>(i % 7) - 3;
    for (index_t i = 0; i < a.rows; ++i)
        for (auto k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
            expected[i] += a.values[k] * x[a.col_idx[k]],
                rounded[i] += std::abs(a.values[k] * x[a.col_idx[k]]);
    int with_long_rows = 0, narrow = 0;
    for (const auto& kernel : spmv_kernels<double, std::int32_t>(Backend::cpu)) {
        const bool sell = kernel.variant.format == "sell";
        if (kernel.variant.vendor || (!sell && kernel.variant.format != "hdia")) continue;
        const Params& params = kernel.variant.params;
        if (!kernel.inspect(a, features, params).illegal.empty()) continue;
        const auto storage = kernel.convert(a, params, 2);
        const auto* const sliced = dynamic_cast<const SellStorage<double>*>(storage.get());
        const auto* const hacked = dynamic_cast<const HdiaStorage<double>*>(storage.get());
        ASSERT_EQ(sell, sliced != nullptr);
        const LongRows<double>& beside = sell ? sliced->beside : hacked->beside;
        EXPECT_EQ(beside.count(), 5) << kernel.variant.id();
        EXPECT_LT(storage->stored(), 3 * static_cast<std::uint64_t>(a.nnz()));
        ++with_long_rows;
        narrow += kernel.variant.id().find(".x16.") != std::string::npos;
        const auto check = [&](const char* how, int threads) {
            for (std::size_t i = 0; i < n; ++i)
                ASSERT_NEAR(y[i], expected[i] - 1, 1e-13 * (rounded[i] + 1))
                    << kernel.variant.id() << ", row " << i << ", threads " << threads << how;
        };
        for (const int threads : {1, 2, 5, 16}) {
            std::fill(y.begin(), y.end(), 1.0);
            kernel.apply(*storage, 1.0, x.data(), -1.0, y.data(), {threads});
            check("", threads);
        }
        // Inside a parallel region OpenMP delivers one thread, however many are asked for.
        for (const int threads : {5, 1500}) {
            std::fill(y.begin(), y.end(), 1.0);
#pragma omp parallel num_threads(2)
#pragma omp single
            kernel.apply(*storage, 1.0, x.data(), -1.0, y.data(), {threads});
            check(", one delivered", threads);
        }
    }
    EXPECT_GT(with_long_rows, 20);
    EXPECT_GT(narrow, 5) << "only the long rows span 65536 columns";
}

}  // namespace
}  // namespace sptune
