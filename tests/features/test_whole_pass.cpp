// The fast loops of the whole pass against their definitions, on rows of all kinds.
#include "features/constant_values.hpp"
#include "features/whole_pass.hpp"
#include "tests/features/tiny.hpp"

#include <cstdlib>
#include <random>
#include <set>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace sptune {
namespace {

constexpr index_t kCols = 9000;
using Rows = std::vector<std::vector<index_t>>;

/// Stretches of rows that repeat the one before, that do not, that are empty, and single rows of
/// more than 4096 entries; the last rows are empty.
Rows rows_of_all_kinds(unsigned seed) {
    std::mt19937 random(seed);
    const auto below = [&](unsigned n) { return static_cast<index_t>(random() % n); };
    const auto scattered = [&](index_t length) {
        std::set<index_t> columns;
        while (static_cast<index_t>(columns.size()) < length) columns.insert(below(kCols));
        return std::vector<index_t>(columns.begin(), columns.end());
    };
    Rows rows;
    for (int stretch = 0; stretch < 60; ++stretch) {
        const index_t length = 1 + below(70);
        switch (below(5)) {
            case 0:
                rows.insert(rows.end(), static_cast<std::size_t>(length), {});
                break;
            case 1:
                rows.push_back(scattered(stretch % 3 ? 300 : 4097 + below(4000)));
                break;
            case 2: {
                std::vector<index_t> row = scattered(1 + below(20));
                std::erase_if(row, [](index_t c) { return c >= kCols - 100; });
                for (index_t i = 0; i < length; ++i) {
                    rows.push_back(row);
                    for (index_t& column : row) ++column;
                }
                break;
            }
            default:
                for (index_t i = 0; i < length; ++i) rows.push_back(scattered(below(25)));
        }
    }
    rows.resize(rows.size() + 40);
    return rows;
}

/// By definition, one entry after the other.
template <class T, class P>
WholePass plain_pass(CsrView<T, P> a) {
    WholePass pass;
    std::set<std::int64_t> diagonals;
    const auto length = [&](index_t i) { return std::int64_t{a.row_ptr[i + 1] - a.row_ptr[i]}; };
    const auto smallest = [&](index_t i) {
        return *std::min_element(a.col_idx + a.row_ptr[i], a.col_idx + a.row_ptr[i + 1]);
    };
    for (index_t i = 0; i < a.rows; ++i) {
        pass.lengths.add(length(i), 0);
        if (i > 0) pass.order.neighbour_diff += std::abs(length(i) - length(i - 1));
        if (i % 32 == 0) {
            std::int64_t longest = 0;
            for (index_t k = i; k < std::min(a.rows, i + 32); ++k)
                longest = std::max(longest, length(k));
            pass.order.warp_slots += 32 * longest;
        }
        for (P e = a.row_ptr[i]; e < a.row_ptr[i + 1]; ++e) {
            pass.distance += static_cast<std::uint64_t>(std::abs(a.col_idx[e] - i));
            diagonals.insert(a.col_idx[e] - i);
            if (e > a.row_ptr[i] && a.col_idx[e] < a.col_idx[e - 1]) pass.sorted = false;
        }
        if (length(i) == 0) continue;
        pass.profile += std::max<std::int64_t>(0, i - smallest(i));
        if (i == 0 || length(i - 1) == 0) continue;
        pass.first_moves += std::abs(smallest(i) - smallest(i - 1));
        ++pass.first_pairs;
    }
    pass.diagonals = static_cast<std::int64_t>(diagonals.size());
    pass.lowest_diagonal = *diagonals.begin();
    pass.highest_diagonal = *diagonals.rbegin();
    return pass;
}

template <class T, class P>
void expect_the_same(const Rows& rows) {
    const auto a = pattern<T, P>(kCols, rows);
    const WholePass want = plain_pass(a.view());
    for (const int threads : {1, 2, 5}) {
        SCOPED_TRACE(threads);
        const WholePass got = whole_pass(a.view(), threads);
        EXPECT_EQ(got.lengths.runs(), want.lengths.runs());
        EXPECT_EQ(got.order.neighbour_diff, want.order.neighbour_diff);
        EXPECT_EQ(got.order.warp_slots, want.order.warp_slots);
        EXPECT_TRUE(got.distance == want.distance);
        EXPECT_EQ(got.profile, want.profile);
        EXPECT_EQ(got.first_moves, want.first_moves);
        EXPECT_EQ(got.first_pairs, want.first_pairs);
        EXPECT_EQ(got.sorted, want.sorted);
        EXPECT_EQ(got.diagonals, want.diagonals);
        EXPECT_EQ(got.lowest_diagonal, want.lowest_diagonal);
        EXPECT_EQ(got.highest_diagonal, want.highest_diagonal);
    }
}

TEST(WholePass, CountsWhatItsDefinitionsSay) {
    for (unsigned seed = 1; seed <= 12; ++seed) {
        SCOPED_TRACE(seed);
        const Rows rows = rows_of_all_kinds(seed);
        expect_the_same<double, std::int32_t>(rows);
        expect_the_same<float, std::int64_t>(rows);
    }
}

TEST(WholePass, CountsRowsThatAreNotSortedAsWell) {
    for (unsigned seed = 1; seed <= 6; ++seed) {
        SCOPED_TRACE(seed);
        Rows rows = rows_of_all_kinds(seed);
        for (std::size_t i = seed; i < rows.size(); i += 97) std::ranges::reverse(rows[i]);
        expect_the_same<double, std::int32_t>(rows);
    }
}

TEST(WholePass, CountsFromARowThatIsNotSortedInTheChunkBefore) {
    // Chunks of 1024 rows: the last one of the first chunk begins with its largest column.
    Rows rows(2048);
    for (index_t i = 0; i < 2048; ++i)
        for (index_t k = 0; k < 8; ++k) rows[static_cast<std::size_t>(i)].push_back(i + 10 * k);
    std::ranges::reverse(rows[1023]);
    expect_the_same<double, std::int32_t>(rows);
}

/// Pages without access follow the columns.
TEST(WholePass, ReadsNothingBehindTheColumns) {
    const std::vector<std::int32_t> row_ptr{0, 2, 3, 3, 3, 3, 3, 3, 3, 3,
                                            3, 3, 3, 3, 3, 3, 3, 3, 3};
    const std::vector<double> values(3, 1.0);
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    void* const pages =
        mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(pages, MAP_FAILED);
    char* const end = static_cast<char*>(pages) + page;
    ASSERT_EQ(mprotect(end, page, PROT_NONE), 0);
    auto* const columns = reinterpret_cast<index_t*>(end) - 3;
    columns[0] = 1, columns[1] = 4, columns[2] = 2;
    const auto rows = static_cast<index_t>(row_ptr.size() - 1);
    const WholePass pass = whole_pass(
        CsrView<double, std::int32_t>{rows, rows, row_ptr.data(), columns, values.data(), 3}, 1);
    EXPECT_EQ(pass.distance, 1 + 4 + 1);
    munmap(pages, 2 * page);
}

TEST(WholePass, ValuesThatChangeWhereAChunkEndsAreNotAllTheSame) {
    constexpr index_t kRows = 40'000;
    Rows rows(kRows);
    for (index_t i = 0; i < kRows; ++i) rows[static_cast<std::size_t>(i)] = {i % kCols};
    auto a = pattern<double, std::int32_t>(kCols, rows);
    EXPECT_TRUE(whole_pass(a.view(), 1).constant);
    for (std::size_t chunk = 1024; chunk < rows.size(); chunk *= 2) {
        std::fill(a.values.begin(), a.values.begin() + static_cast<std::ptrdiff_t>(chunk), 1.0);
        std::fill(a.values.begin() + static_cast<std::ptrdiff_t>(chunk), a.values.end(), 2.0);
        EXPECT_FALSE(whole_pass(a.view(), 1).constant) << chunk;
    }
}

TEST(OneValue, AFewTellAsARule) {
    Rows rows(5000);
    for (auto& row : rows) row = {0, 3};
    auto a = pattern<double, std::int32_t>(4, rows);
    std::fill(a.values.begin(), a.values.end(), 0.1);
    EXPECT_TRUE(seems_to_have_one_value(a.view()));
    for (const std::size_t at : {std::size_t{0}, std::size_t{31}, std::size_t{9999}}) {
        a.values[at] = 0.2;
        EXPECT_FALSE(seems_to_have_one_value(a.view())) << at;
        a.values[at] = 0.1;
    }
    std::fill(a.values.begin() + 4000, a.values.begin() + 5000, 0.2);
    EXPECT_FALSE(seems_to_have_one_value(a.view()));
    EXPECT_FALSE(seems_to_have_one_value(pattern<double, std::int32_t>(4, Rows(3)).view()));
    const auto one = pattern<double, std::int32_t>(4, Rows{{2}});
    EXPECT_TRUE(seems_to_have_one_value(one.view()));
}

TEST(WholePass, OfRowsThatAllAreEmptyButOne) {
    for (const std::size_t at : {0, 1, 499}) {
        Rows rows(500);
        rows[at] = {3, 8999};
        expect_the_same<double, std::int32_t>(rows);
    }
}

}  // namespace
}  // namespace sptune
