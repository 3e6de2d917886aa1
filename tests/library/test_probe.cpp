// What the sample of a matrix that may have changed sees, and what it may miss.
#include "library/probe.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace sptune::library {
namespace {

/// Square, with as many entries as rows, and all that is compared.
struct Diagonal {
    std::vector<std::int32_t> row_ptr, col_idx;
    std::vector<double> values;

    explicit Diagonal(std::size_t n) : row_ptr(n + 1), col_idx(n), values(n, 1.0) {
        std::iota(row_ptr.begin(), row_ptr.end(), 0);
        std::iota(col_idx.begin(), col_idx.end(), 0);
    }
    csr_view<double, std::int32_t> view() const {
        const auto n = static_cast<std::int32_t>(values.size());
        return {n, n, row_ptr.data(), col_idx.data(), values.data()};
    }
};

/// Changes each stretch of `length` numbers of `array` in turn; whether all are noticed as `what`.
template <class Array>
void expect_noticed(const Diagonal& a, Array& array, std::size_t end, std::size_t length,
                    Change what) {
    const Probe<double, std::int32_t> probe(a.view());
    const Array before = array;
    for (std::size_t first = 0; first + length <= end; ++first) {
        for (std::size_t k = first; k < first + length; ++k) array[k] += 1;
        EXPECT_EQ(probe.compare(a.view()), what) << first << ", " << length << " of " << end;
        array = before;
        EXPECT_EQ(probe.compare(a.view()), Change::none);
    }
}

TEST(Probe, ComparesAllOfUpToSixteen) {
    for (std::size_t n = 1; n <= 16; ++n) {
        Diagonal a(n);
        expect_noticed(a, a.values, n, 1, Change::values);
        expect_noticed(a, a.col_idx, n, 1, Change::structure);
        expect_noticed(a, a.row_ptr, n, 1, Change::structure);
    }
}

TEST(Probe, MissesNoStretchOfMoreThanAnEighth) {
    for (const std::size_t n : {17, 31, 32, 33, 47, 100, 255, 1000}) {
        Diagonal a(n);
        const std::size_t stretch = n / 8 + 1;
        expect_noticed(a, a.values, n, stretch, Change::values);
        expect_noticed(a, a.col_idx, n, stretch, Change::structure);
        expect_noticed(a, a.row_ptr, n, stretch, Change::structure);
    }
}

/// Rows of k entries, the diagonal at a place that differs from row to row.
TEST(Probe, SeesAShiftOfTheDiagonalAndMostlyAnyOtherOneOfEachRow) {
    int noticed = 0, all = 0;
    for (const int k : {1, 2, 5, 9, 27, 81}) {
        constexpr std::int32_t kRows = 400;
        std::vector<std::int32_t> row_ptr(kRows + 1), col_idx;
        for (std::int32_t i = 0; i < kRows; ++i) {
            const std::int32_t first = std::clamp(i - i * 7 % k, 0, kRows - k);
            for (std::int32_t c = first; c < first + k; ++c) col_idx.push_back(c);
            row_ptr[static_cast<std::size_t>(i) + 1] = (i + 1) * k;
        }
        std::vector<double> values(col_idx.size(), 1.0);
        const csr_view<double, std::int32_t> a{kRows, kRows, row_ptr.data(), col_idx.data(),
                                               values.data()};
        const Probe<double, std::int32_t> probe(a);
        // But for the first and the last rows, as where a boundary is kept.
        const auto expect = [&](auto changed) {
            for (std::int32_t i = 20; i < kRows - 20; ++i)
                values[static_cast<std::size_t>(i * k + changed(i))] = 2;
            const Change found = probe.compare(a);
            std::fill(values.begin(), values.end(), 1.0);
            return found == Change::values;
        };
        EXPECT_TRUE(expect([&](std::int32_t i) {
            return i - col_idx[static_cast<std::size_t>(i * k)];
        })) << k;
        for (int nth = 0; nth < k && k < 81; ++nth)  // of so long rows half are missed
            ++all, noticed += expect([&](std::int32_t i) { return (i + nth) % k; });
    }
    EXPECT_GT(noticed, 9 * all / 10);
}

/// Two and three entries have no four neighbours.
TEST(Probe, ComparesNoMoreThanThereIs) {
    for (std::size_t n = 1; n < 8; ++n) {
        Diagonal a(n);
        const Probe<double, std::int32_t> probe(a.view());
        for (std::size_t k = 0; k < n; ++k) {
            a.values[k] = 7;
            EXPECT_EQ(probe.compare(a.view()), Change::values) << k << " of " << n;
            a.values[k] = 1;
        }
    }
}

TEST(Probe, SeesHowManyEntriesThereAre) {
    Diagonal a(50);
    const Probe<double, std::int32_t> probe(a.view());
    --a.row_ptr.back();
    EXPECT_EQ(probe.compare(a.view()), Change::structure);
    EXPECT_EQ((Probe<double, std::int32_t>(csr_view<double, std::int32_t>{})
                   .compare(csr_view<double, std::int32_t>{})),
              Change::none);
}

}  // namespace
}  // namespace sptune::library
