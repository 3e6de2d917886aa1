// The features of a matrix on the GPU are those of the same matrix on the CPU: counts, sums and the
// fingerprint exactly, the rest to rounding.
#include "features/blocks.hpp"
#include "features/cuda/features.hpp"
#include "features/cuda/groups.hpp"
#include "features/sample_plan.hpp"
#include "kernels/cuda/row_lengths.hpp"
#include "matrix/cuda/device_csr.hpp"
#include "matrix/generate.hpp"
#include "tests/gpu/needs_gpu.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace sptune {
namespace {

struct Number {
    std::string name;
    double value;
};

std::vector<Number> rounded(const Features& f) {
    std::vector<Number> list{{"density", f.density},
                             {"row_mean", f.row_mean},
                             {"row_median", f.row_median},
                             {"row_std", f.row_std},
                             {"row_cv", f.row_cv},
                             {"row_skew", f.row_skew},
                             {"row_gini", f.row_gini},
                             {"row_neighbour_diff", f.row_neighbour_diff},
                             {"warp_imbalance", f.warp_imbalance},
                             {"dia_fill", f.dia_fill},
                             {"dense_diagonal_share", f.dense_diagonal_share},
                             {"bandwidth_mean", f.bandwidth_mean},
                             {"pattern_symmetry", f.pattern_symmetry},
                             {"value_symmetry", f.value_symmetry},
                             {"ell_fill", f.ell_fill},
                             {"cols_per_line", f.cols_per_line},
                             {"column_gap", f.column_gap},
                             {"diagonal_runs", f.diagonal_runs.value()},
                             {"reuse_distance", f.reuse_distance},
                             {"sampled_share", f.sampled_share}};
    for (const double share : f.top_diagonal_share) list.push_back({"top_diagonal_share", share});
    for (const double rest : f.hyb_remainder) list.push_back({"hyb_remainder", rest});
    for (const SellPadding& s : f.sell)
        list.push_back({"sell " + std::to_string(s.c) + " " + std::to_string(s.sigma), s.padding});
    for (const BsrFill& b : f.bsr)
        list.push_back({"bsr " + std::to_string(b.r) + " " + std::to_string(b.c), b.fill});
    return list;
}

std::vector<std::pair<std::string, std::int64_t>> exact(const Features& f) {
    return {{"rows", f.rows},
            {"cols", f.cols},
            {"nnz", f.nnz},
            {"row_min", f.row_min},
            {"row_max", f.row_max},
            {"empty_rows", f.empty_rows},
            {"diagonals", f.diagonals},
            {"dense_diagonals", f.dense_diagonals},
            {"bandwidth_max", f.bandwidth_max},
            {"profile", f.profile},
            {"constant_values", f.constant_values},
            {"fingerprint", static_cast<std::int64_t>(f.fingerprint)}};
}

template <class T, class P>
void expect_same(CsrView<T, P> a, const std::string& name) {
    const Features cpu = extract_features(a);
    const DeviceCsr<T, P> there(a);
    const Features gpu = extract_features_on_device(there.view());
    EXPECT_EQ(exact(gpu), exact(cpu)) << name;
    const auto numbers = rounded(gpu), expected = rounded(cpu);
    ASSERT_EQ(numbers.size(), expected.size());
    for (std::size_t i = 0; i < numbers.size(); ++i)
        EXPECT_NEAR(numbers[i].value, expected[i].value, 1e-12 * std::abs(expected[i].value))
            << numbers[i].name << " of " << name;
    EXPECT_EQ(fingerprint_on_device(there.view()), cpu.fingerprint) << name;
    EXPECT_EQ(cuda::longest_row(there.view().row_ptr, there.view().rows), cpu.row_max) << name;
}

/// CSR in vectors, for any value and pointer type; columns stay in the order given.
struct Pattern {
    index_t rows = 0, cols = 0;
    std::vector<std::int64_t> row_ptr{0};
    std::vector<index_t> col_idx;

    explicit Pattern(index_t columns) : cols(columns) {}
    void add_row(const std::vector<index_t>& columns) {
        col_idx.insert(col_idx.end(), columns.begin(), columns.end());
        row_ptr.push_back(static_cast<std::int64_t>(col_idx.size()));
        ++rows;
    }
    /// With few different values, so that some mirror images are equal.
    template <class T, class P>
    void expect_same_features(const std::string& name) const {
        const std::vector<P> pointers(row_ptr.begin(), row_ptr.end());
        std::mt19937 random(5);
        std::vector<T> values(col_idx.size());
        for (T& v : values) v = static_cast<T>(random() % 3);
        if (!values.empty()) values.back() = std::numeric_limits<T>::quiet_NaN();
        expect_same<T, P>({rows, cols, pointers.data(), col_idx.data(), values.data()}, name);
        std::ranges::fill(values, T{1});
        expect_same<T, P>({rows, cols, pointers.data(), col_idx.data(), values.data()},
                          name + ", all ones");
    }
    void expect_same_features(const std::string& name) const {
        expect_same_features<double, std::int32_t>(name);
        expect_same_features<float, std::int64_t>(name + ", 64-bit row pointers");
    }
};

class Random {
  public:
    explicit Random(unsigned seed) : random_(seed) {}
    /// In [0, n).
    index_t below(index_t n) { return static_cast<index_t>(random_() % static_cast<unsigned>(n)); }
    /// `count` columns in increasing order, without repeats unless they run out.
    std::vector<index_t> columns(index_t count, index_t cols) {
        std::vector<index_t> row;
        for (index_t i = 0; i < count; ++i) row.push_back(below(cols));
        std::ranges::sort(row);
        row.erase(std::ranges::unique(row).begin(), row.end());
        return row;
    }
    void shuffle(std::vector<index_t>& row) { std::ranges::shuffle(row, random_); }

  private:
    std::mt19937 random_;
};

std::vector<index_t> every(index_t cols, index_t step = 1, index_t first = 0) {
    std::vector<index_t> row;
    for (index_t j = first; j < cols; j += step) row.push_back(j);
    return row;
}

class FeaturesOnGpu : public testing::Test {
  protected:
    void SetUp() override { SPTUNE_NEEDS_GPU(); }
};

TEST_F(FeaturesOnGpu, OfEveryFamily) {
    for (const Family& family : families())
        for (const double rows : {3000, 40000}) {
            const GenerateRequest request{std::string(family.name), {{"rows", rows}}};
            const std::string name = request.family + " " + std::to_string(rows);
            expect_same(generate<double>(request).view(), name);
            expect_same(generate<float, std::int64_t>(request).view(), name + " f32 i64");
            expect_same(generate<float>(request).view(), name + " f32");
        }
}

TEST_F(FeaturesOnGpu, OfMatricesWithoutEntries) {
    for (const auto& [rows, cols] :
         {std::pair{0, 0}, {0, 5}, {5, 0}, {1, 1}, {5000, 9}, {70000, 70000}}) {
        Pattern a(cols);
        for (index_t i = 0; i < rows; ++i) a.add_row({});
        a.expect_same_features("nothing " + std::to_string(rows));
    }
}

TEST_F(FeaturesOnGpu, OfOneRowAndOfOneColumn) {
    Pattern row(90000);
    row.add_row(every(90000, 3));
    row.expect_same_features("1xn");
    Pattern column(1);
    for (index_t i = 0; i < 5001; ++i) column.add_row({0});
    column.expect_same_features("nx1");
    Pattern one(1);
    one.add_row({0});
    one.expect_same_features("1x1");
}

TEST_F(FeaturesOnGpu, OfDenseAndEmptyRows) {
    Random random(1);
    Pattern a(20000);
    for (index_t i = 0; i < 20000; ++i)
        a.add_row(i % 1000 == 7                                 ? every(20000, 1 + i % 3)
                  : i % 5000 < 900 || (i >= 12000 && i < 13001) ? std::vector<index_t>{}
                                                                : random.columns(6, 20000));
    a.expect_same_features("dense and empty rows");

    Pattern last(3000), first(3000);
    for (index_t i = 0; i < 3000; ++i) {
        first.add_row(i == 0 ? every(3000) : std::vector<index_t>{});
        last.add_row(i == 2999 ? every(3000) : std::vector<index_t>{});
    }
    first.expect_same_features("only the first row");
    last.expect_same_features("only the last row");
}

TEST_F(FeaturesOnGpu, OfFewLongRows) {
    // Groups are thinned out to strips, tables leave shared memory.
    for (const bool sorted : {true, false}) {
        Random random(2);
        Pattern a(300000);
        for (index_t i = 0; i < 70; ++i) {
            auto row = i % 7 == 3 ? std::vector<index_t>{} : every(300000, 10, i % 24);
            if (!sorted) random.shuffle(row);
            a.add_row(row);
        }
        a.expect_same_features(sorted ? "few long rows" : "few long rows, shuffled");
    }
    // More than 256 diagonals that stand for 512 sampled entries or more.
    Pattern hub(2500000);
    for (index_t i = 0; i < 24; ++i) hub.add_row(i == 11 ? every(2500000) : every(100, 9, i));
    hub.expect_same_features("a row of 2.5 million");
}

TEST_F(FeaturesOnGpu, OfRowsOfAllLengths) {
    Pattern a(3000);
    for (index_t i = 0; i < 3000; ++i) a.add_row(every(i));
    a.expect_same_features("lower triangle");
    Random random(3);
    Pattern b(6000);
    for (index_t i = 0; i < 6000; ++i)
        b.add_row(random.columns(random.below(random.below(2000) + 1), 6000));
    b.expect_same_features("mixed lengths");
}

TEST_F(FeaturesOnGpu, OfUnsortedRowsAndDuplicates) {
    Random random(4);
    Pattern shuffled(9000), nearly(9000), repeated(9000), mirrored(9000);
    for (index_t i = 0; i < 9000; ++i) {
        auto row = random.columns(i % 40, 9000);
        nearly.add_row(i == 8990 ? std::vector<index_t>{5, 4} : row);
        random.shuffle(row);
        shuffled.add_row(row);
        if (!row.empty()) row.insert(row.end(), {row[0], row[0], row[row.size() / 2]});
        repeated.add_row(row);
        std::vector<index_t> band;
        for (const index_t d : {3, -3, 0, 700, -700, 1, -1, 1})
            if (i + d >= 0 && i + d < 9000 && (i * 7 + d * d) % 5) band.push_back(i + d);
        mirrored.add_row(band);
    }
    nearly.expect_same_features("all rows sorted but one");
    shuffled.expect_same_features("shuffled");
    repeated.expect_same_features("duplicates");
    mirrored.expect_same_features("unsorted band");
    Pattern sorted_twice(4000);
    for (index_t i = 0; i < 4000; ++i) {
        auto row = random.columns(9, 4000);
        row.insert(row.begin(), row.front());
        sorted_twice.add_row(row);
    }
    sorted_twice.expect_same_features("sorted duplicates");
}

TEST_F(FeaturesOnGpu, OfSumsBeyond32Bits) {
    constexpr index_t wide = std::numeric_limits<index_t>::max();
    Pattern low(200000), far(wide);
    for (index_t i = 0; i < 200000; ++i) {
        low.add_row({0});
        far.add_row({i, wide - 1 - i});
    }
    low.expect_same_features("first column");
    far.expect_same_features("both ends");
}

TEST_F(FeaturesOnGpu, AreRightWhereTheTablesOverflow) {
    // All entries of a group lie in the first of the strips that it is cut into, far apart. Sorted
    // ones would be cut again.
    constexpr index_t rows = 48, length = 2000, apart = 3000, cols = 2000000000;
    const SamplePlan plan(rows, std::int64_t{rows} * length);
    constexpr std::int64_t entries = kBlockGroup * length;
    ASSERT_GT(entries, plan.tiles.entry_limit);
    const ColumnStrip strip = strip_of_column(0, entries, plan.tiles.entry_limit, {0, cols});
    ASSERT_GE(strip.high, apart * length);
    ASSERT_GT(2 * rows * length, cuda::spare_slots(plan));
    Pattern a(cols);
    auto row = every(apart * length, apart);
    std::swap(row[0], row[1]);
    for (index_t i = 0; i < rows; ++i) a.add_row(row);
    a.expect_same_features("crowded strip");
}

TEST_F(FeaturesOnGpu, OfAMillionRows) {
    for (const auto* family : {"stencil-2d-5", "fem", "rmat", "power-law", "per-row"})
        expect_same(generate<double>({family, {{"rows", 1000000}}}).view(), family);
}

}  // namespace
}  // namespace sptune
