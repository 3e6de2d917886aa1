// What the families promise whose structure depends on several parameters: row lengths, reach,
// fill.
#include "matrix/error.hpp"
#include "matrix/generate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <gtest/gtest.h>

namespace sptune {
namespace {

using Parameters = std::map<std::string, double>;

Csr<double> make(std::string family, Parameters parameters) {
    const GenerateRequest request{std::move(family), std::move(parameters), 5};
    Csr<double> a = generate<double>(request);
    EXPECT_LE(a.nnz(), expected_nnz(request)) << request.family;
    return a;
}

void expect_refused(const std::string& family, const Parameters& parameters) {
    EXPECT_THROW(generate<double>({family, parameters}), UsageError) << family;
    EXPECT_THROW(expected_nnz({family, parameters}), UsageError) << family;
}

std::vector<index_t> row_of(const Csr<double>& a, index_t row) {
    const auto at = [&](index_t i) {
        return a.col_idx.data() + a.row_ptr[static_cast<std::size_t>(i)];
    };
    return {at(row), at(row + 1)};
}

int length(const Csr<double>& a, index_t row) {
    return a.row_ptr[static_cast<std::size_t>(row) + 1] - a.row_ptr[static_cast<std::size_t>(row)];
}

bool has(const Csr<double>& a, index_t row, index_t col) {
    const auto columns = row_of(a, row);
    return std::ranges::binary_search(columns, col);
}

/// visit(row, column) for every entry.
template <class Visit>
void for_each_entry(const Csr<double>& a, const Visit& visit) {
    for (index_t row = 0; row < a.rows; ++row)
        for (const index_t col : row_of(a, row)) visit(row, col);
}

/// (row, column) of every entry, mirrored.
bool is_symmetric(const Csr<double>& a) {
    bool same = true;
    for_each_entry(a, [&](index_t row, index_t col) { same = same && has(a, col, row); });
    return same;
}

TEST(GenerateDiagonals, AreAsManyAndAsFarAsAskedFor) {
    const auto a = make("diagonals", {{"rows", 5000}, {"count", 9}, {"reach", 0.2}, {"fill", 1}});
    std::map<int, int> entries;
    for_each_entry(a, [&](index_t row, index_t col) { ++entries[col - row]; });
    EXPECT_EQ(entries.size(), 9u);
    for (const auto& [offset, count] : entries) {
        EXPECT_LE(std::abs(offset), 0.2 * 5000);
        EXPECT_EQ(count, 5000 - std::abs(offset));
    }
    EXPECT_EQ(make("diagonals", {{"rows", 4}, {"count", 7}, {"reach", 1}, {"fill", 1}}).nnz(), 16);
}

TEST(GenerateDiagonals, AreFilledInPart) {
    for (const double stretch : {1, 50}) {
        const auto a = make(
            "diagonals",
            {{"rows", 50000}, {"count", 11}, {"reach", 0.01}, {"fill", 0.4}, {"stretch", stretch}});
        for (index_t row = 0; row < a.rows; ++row) ASSERT_TRUE(has(a, row, row));
        EXPECT_NEAR((a.nnz() - 50000) / (10 * 50000.0), 0.4, 0.02) << stretch;
        // Whether a diagonal goes on in the next row changes at the end of a stretch alone.
        int changes = 0;
        for_each_entry(a, [&](index_t row, index_t col) {
            if (std::max(row, col) + 1 < a.rows) changes += !has(a, row + 1, col + 1);
        });
        const double ends = (a.nnz() - 50000) * 0.6 / stretch;
        EXPECT_NEAR(changes, ends, 0.15 * ends) << stretch;
    }
    EXPECT_EQ(make("diagonals", {{"rows", 500}, {"fill", 0}}).nnz(), 500);
    const auto noisy =
        make("diagonals", {{"rows", 20000}, {"count", 1}, {"reach", 0}, {"noise", 2.5}});
    EXPECT_NEAR(noisy.nnz() / 20000.0, 3.5, 0.1);
}

TEST(GenerateDiagonals, RefuseWhatCannotBe) {
    expect_refused("diagonals", {{"count", 0}});
    expect_refused("diagonals", {{"reach", 1.1}});
    expect_refused("diagonals", {{"reach", 0}, {"count", 2}});
    expect_refused("diagonals", {{"fill", -0.1}});
    expect_refused("diagonals", {{"stretch", 0}});
    expect_refused("diagonals", {{"noise", 1001}});
}

TEST(GenerateLocal, NeighboursAreAsFarAsAskedFor) {
    for (const double log : {0, 1}) {
        const auto a = make("local", {{"rows", 100000}, {"mean", 5}, {"reach", 200}, {"log", log}});
        EXPECT_NEAR(a.nnz() / 100000.0, 6, 0.4);
        double sum = 0, nearest = 0, behind = 0;
        for_each_entry(a, [&](index_t row, index_t col) {
            sum += std::abs(row - col), nearest += std::abs(row - col) == 1, behind += col > row;
        });
        const double neighbours = a.nnz() - 100000;
        EXPECT_NEAR(sum / neighbours, 200, 10) << log;
        EXPECT_NEAR(behind / neighbours, 0.5, 0.01) << log;
        // A log-uniform law has far more at distance 1 than a geometric one.
        EXPECT_EQ(nearest / neighbours > 0.03, log == 1);
        for (index_t row = 0; row < a.rows; ++row) ASSERT_TRUE(has(a, row, row));
    }
    const auto closest = make("local", {{"rows", 1000}, {"mean", 9}, {"reach", 1}});
    for_each_entry(closest, [](index_t row, index_t col) { ASSERT_LE(std::abs(row - col), 1); });
}

TEST(GenerateLocal, SomeNeighboursAreAnywhere) {
    const auto a = make("local", {{"rows", 100000}, {"mean", 5}, {"reach", 10}, {"far", 0.2}});
    double far = 0;
    for_each_entry(a, [&](index_t row, index_t col) { far += std::abs(row - col) > 1000; });
    EXPECT_NEAR(far / (a.nnz() - 100000), 0.2, 0.02);
    EXPECT_EQ(make("local", {{"rows", 700}, {"mean", 0}}).nnz(), 700);
    expect_refused("local", {{"reach", 0.5}});
    expect_refused("local", {{"reach", 1001}});
    expect_refused("local", {{"far", 2}});
    expect_refused("local", {{"mean", -1}});
    expect_refused("local", {{"log", 0.5}});
}

/// How many runs of consecutive columns all rows have.
int count_runs(const Csr<double>& a) {
    int runs = 0;
    for (index_t row = 0; row < a.rows; ++row) {
        index_t before = -2;
        for (const index_t col : row_of(a, row)) runs += col != before + 1, before = col;
    }
    return runs;
}

TEST(GenerateRuns, AreAsManyAndAsLongAsAskedFor) {
    for (const double vary : {0.0, 0.6}) {
        const auto a =
            make("runs",
                 {{"rows", 3000}, {"cols", 200000}, {"runs", 5}, {"length", 10}, {"vary", vary}});
        EXPECT_EQ(a.cols, 200000);
        EXPECT_NEAR(count_runs(a) / 3000.0, 5, 0.1);
        EXPECT_NEAR(double(a.nnz()) / count_runs(a), 10, 0.2);
        std::set<int> seen;
        for (index_t row = 0; row < a.rows; ++row) seen.insert(length(a, row));
        EXPECT_LE(*seen.rbegin(), vary == 0 ? 50 : 8 * 16);
        EXPECT_GT(*seen.rbegin(), vary == 0 ? 49 : 90);
    }
}

TEST(GenerateRuns, MayBeNearTheDiagonal) {
    for (const double cols : {4000, 40000}) {
        const auto a = make("runs", {{"rows", 8000}, {"cols", cols}, {"reach", 50}, {"length", 4}});
        double sum = 0;
        for_each_entry(a,
                       [&](index_t row, index_t col) { sum += std::abs(row * cols / 8000 - col); });
        EXPECT_NEAR(sum / a.nnz(), 50, 4) << cols;
    }
    EXPECT_EQ(
        make("runs", {{"rows", 9}, {"cols", 6}, {"runs", 1}, {"length", 6}, {"vary", 0}}).nnz(),
        54);
    expect_refused("runs", {{"runs", 0}});
    expect_refused("runs", {{"cols", 20}, {"runs", 3}, {"length", 7}});
    expect_refused("runs", {{"vary", 1.5}});
    expect_refused("runs", {{"reach", -1}});
}

TEST(GenerateMixedRows, HaveTwoLengths) {
    for (const double front : {0, 1}) {
        const auto a = make("mixed-rows", {{"rows", 20000},
                                           {"cols", 9000},
                                           {"short", 3},
                                           {"long", 500},
                                           {"share", 0.05},
                                           {"front", front},
                                           {"reach", 30}});
        int many = 0, last = 0;
        for (index_t row = 0; row < a.rows; ++row) {
            if (length(a, row) == 500) {
                ++many, last = row;
                continue;
            }
            ASSERT_EQ(length(a, row), 3);
            for (const index_t col : row_of(a, row)) ASSERT_NEAR(col, row * 9000.0 / 20000, 61);
        }
        EXPECT_NEAR(many, 1000, front ? 0 : 150);
        EXPECT_EQ(last < 1000, front == 1);
    }
    EXPECT_EQ(make("mixed-rows", {{"rows", 50}, {"share", 1}, {"long", 50}}).nnz(), 2500);
    EXPECT_EQ(make("mixed-rows", {{"rows", 50}, {"share", 0}, {"short", 50}}).nnz(), 2500);
    expect_refused("mixed-rows", {{"rows", 50}, {"long", 51}});
    expect_refused("mixed-rows", {{"share", 1.01}});
    expect_refused("mixed-rows", {{"front", 2}});
}

TEST(GenerateHierarchy, BlocksAreOfManySizes) {
    const auto a =
        make("hierarchy", {{"rows", 60000}, {"small", 4}, {"large", 64}, {"coupling", 0}});
    std::map<int, int> sizes;
    int cut = 0;
    for (index_t row = 0; row < a.rows;) {
        const int size = length(a, row);
        for (index_t i = row; i < row + size; ++i) {
            ASSERT_EQ(length(a, i), size);
            ASSERT_EQ(row_of(a, i).front(), row);
            ASSERT_EQ(row_of(a, i).back(), row + size - 1);
        }
        ASSERT_LE(size, 64);
        size < 4 ? ++cut : ++sizes[size];
        row += size;
    }
    EXPECT_EQ(sizes.size(), 61u);
    EXPECT_LE(cut, 60000 / (8 * 64) + 1);  // the last of each panel
    // Log-uniform: as many from 4 to 7 as from 8 to 15, 16 to 31, 32 to 63.
    double octaves[4] = {};
    for (const auto& [size, count] : sizes)
        if (size < 64) octaves[(size > 7) + (size > 15) + (size > 31)] += count;
    for (const double n : octaves) EXPECT_NEAR(n / octaves[0], 1, 0.2);
    EXPECT_TRUE(is_symmetric(a));
}

TEST(GenerateHierarchy, BlocksAreCoupled) {
    const auto a =
        make("hierarchy", {{"rows", 20000}, {"small", 5}, {"large", 5}, {"coupling", 1.5}});
    int inside = 0;
    for_each_entry(a, [&](index_t row, index_t col) { inside += row / 5 == col / 5; });
    EXPECT_EQ(inside, 5 * 20000);
    EXPECT_NEAR((a.nnz() - inside) / 20000.0, 1.5, 0.05);
    EXPECT_EQ(make("hierarchy", {{"rows", 30}, {"small", 30}, {"large", 30}}).nnz(), 900);
    expect_refused("hierarchy", {{"small", 50}, {"large", 40}});
    expect_refused("hierarchy", {{"small", 0}});
    expect_refused("hierarchy", {{"large", 1001}});
    expect_refused("hierarchy", {{"coupling", -1}});
}

TEST(GenerateSkyline, RowsAreDenseUpToTheDiagonal) {
    for (const double wander : {0.0, 0.02, 0.3, 1.0}) {
        const auto a = make("skyline", {{"rows", 40000}, {"height", 50}, {"wander", wander}});
        double sum = 0, steps = 0;
        std::set<int> seen;
        for (index_t row = 0; row < a.rows; ++row) {
            const auto columns = row_of(a, row);
            ASSERT_EQ(columns.back(), row);
            ASSERT_EQ(columns.front(), row + 1 - length(a, row));
            ASSERT_LE(length(a, row), 100);
            if (row < 100) continue;
            sum += length(a, row), seen.insert(length(a, row));
            steps += std::abs(length(a, row) - length(a, row - 1));
        }
        EXPECT_NEAR(sum / (40000 - 100), 50, 5) << wander;
        const double step = steps / (40000 - 100) / 50;
        EXPECT_GE(step, 0.4 * wander);
        EXPECT_LE(step, 1.2 * wander);
        EXPECT_GT(seen.size(), wander == 0 ? 0u : 50u);
    }
    EXPECT_EQ(make("skyline", {{"rows", 100}, {"height", 100}, {"wander", 0}}).nnz(), 5050);
    expect_refused("skyline", {{"height", 0}});
    expect_refused("skyline", {{"height", 1001}});
    expect_refused("skyline", {{"wander", 1.1}});
}

TEST(GenerateStaircase, BlocksAreLinked) {
    const auto a = make(
        "staircase",
        {{"rows", 20004}, {"height", 50}, {"width", 80}, {"mean", 6}, {"next", 0.4}, {"links", 4}});
    ASSERT_EQ(a.cols, 400 * 80);
    for (index_t row = 0; row < 4; ++row) EXPECT_NEAR(length(a, row), 1600, 250);
    double own = 0, next = 0;
    for_each_entry(a, [&](index_t row, index_t col) {
        if (row < 4) return;
        const int step = col / 80 - (row - 4) / 50;
        ASSERT_TRUE(step == 0 || step == 1) << row << ' ' << col;
        step ? ++next : ++own;
    });
    EXPECT_NEAR(own / 20000, 6, 0.1);
    EXPECT_NEAR(next / 20000, 0.4, 0.02);
    EXPECT_EQ(make("staircase", {{"rows", 101}, {"height", 50}, {"links", 0}}).cols, 3 * 60);
    EXPECT_EQ(make("staircase", {{"rows", 3}, {"links", 3}}).cols, 60);
    expect_refused("staircase", {{"links", 1001}});
    expect_refused("staircase", {{"width", 3}, {"mean", 4}});
    expect_refused("staircase", {{"height", 0}});
    expect_refused("staircase", {{"rows", 1e9}, {"height", 1}, {"width", 100}});
}

TEST(GenerateLayers, AreCoupledToTheirNeighbours) {
    const auto dense = make("layers", {{"rows", 20}, {"block", 6}});
    EXPECT_EQ(row_of(dense, 7).front(), 0);
    EXPECT_EQ(row_of(dense, 7).back(), 17);
    EXPECT_EQ(length(dense, 7), 18);
    EXPECT_EQ(length(dense, 0), 12);
    EXPECT_EQ(length(dense, 19), 8);
    EXPECT_TRUE(is_symmetric(dense));
    const auto thin = make("layers", {{"rows", 20}, {"block", 6}, {"dense", 0}});
    EXPECT_EQ(row_of(thin, 7), (std::vector<index_t>{1, 6, 7, 8, 9, 10, 11, 13}));
    EXPECT_EQ(row_of(thin, 15), (std::vector<index_t>{9, 12, 13, 14, 15, 16, 17}));
    EXPECT_TRUE(is_symmetric(thin));
    EXPECT_EQ(make("layers", {{"rows", 30}, {"block", 1}, {"dense", 0}}).nnz(), 88);
    expect_refused("layers", {{"block", 0}});
    expect_refused("layers", {{"dense", 2}});
}

TEST(GenerateBounds, AreRightBeyondThirtyTwoBits) {
    EXPECT_EQ(expected_nnz({"layers", {{"rows", 2e9}, {"block", 100}}}), 600'000'000'000);
    EXPECT_EQ(expected_nnz({"skyline", {{"rows", 2e9}, {"height", 2e9}, {"wander", 0}}}),
              4'000'000'000'000'000'000);
    EXPECT_EQ(
        expected_nnz({"mixed-rows", {{"rows", 2e9}, {"short", 2}, {"long", 2e9}, {"share", 1}}}),
        4'000'000'000'000'000'000);
    EXPECT_EQ(expected_nnz({"hierarchy", {{"rows", 2e9}, {"large", 2e9}, {"coupling", 0}}}),
              4'000'000'000'000'000'000);
    for (const char* family : {"diagonals", "local", "runs"}) {
        const std::int64_t n = expected_nnz({family, {{"rows", 2e9}}});
        EXPECT_GT(n, 6'000'000'000) << family;
        EXPECT_LT(n, 60'000'000'000) << family;
    }
    EXPECT_GT(expected_nnz({"staircase", {{"rows", 2e9}, {"height", 1000}, {"links", 100}}}),
              8'000'000'000);
    const Parameters all{{"rows", 2e9}, {"mean", 2e9}};
    EXPECT_EQ(expected_nnz({"local", all}), 4'000'000'000'000'000'000);
    EXPECT_GT(expected_nnz({"layers", {{"rows", 2e9}, {"unknowns", 1}, {"shuffle", 2e9}}}),
              50'000'000'000);
}

/// Every parameter that is a number of rows or entries as large as can be.
TEST(GenerateBounds, AreNeverMoreThanAllEntries) {
    constexpr double kMost = 2147483647;
    constexpr std::int64_t kAll = std::int64_t{2147483647} * 2147483647;
    const GenerateRequest requests[] = {
        {"hierarchy", {{"rows", kMost}, {"large", kMost}, {"coupling", kMost}}},
        {"hierarchy", {{"rows", kMost}, {"large", 1}, {"coupling", kMost}}},
        {"layers", {{"rows", kMost}, {"block", 1 << 20}}},
        {"staircase",
         {{"rows", kMost}, {"height", kMost}, {"width", kMost}, {"mean", kMost}, {"next", 0}}},
        {"staircase", {{"rows", kMost}, {"height", kMost}, {"width", kMost}, {"links", kMost}}},
        {"local", {{"rows", kMost}, {"mean", kMost}}},
        {"runs", {{"rows", kMost}, {"cols", kMost}, {"runs", kMost}, {"length", 1}}},
        {"runs", {{"rows", kMost}, {"cols", kMost}, {"runs", 1}, {"length", kMost}}},
        {"mixed-rows",
         {{"rows", kMost}, {"cols", kMost}, {"short", kMost}, {"long", kMost}, {"share", 1}}},
        {"diagonals", {{"rows", kMost}, {"count", 65536}, {"reach", 1}, {"noise", kMost}}},
        {"skyline", {{"rows", kMost}, {"height", kMost}}},
    };
    for (const GenerateRequest& request : requests) {
        const std::int64_t bound = expected_nnz(request);
        EXPECT_GT(bound, 0) << request.family;
        EXPECT_LE(bound, kAll) << request.family;
    }
}

}  // namespace
}  // namespace sptune
