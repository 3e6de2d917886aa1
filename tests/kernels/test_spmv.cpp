// Every kernel of the registry against the reference, on awkward matrices. A kernel that is legal
// for none of them fails: no variant without an equivalence test.
#include "kernels/reference.hpp"
#include "kernels/registry.hpp"
#include "kernels/simd_target.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <set>

#include <gtest/gtest.h>

namespace sptune {
namespace {

/// A matrix with vectors and what the reference makes of them.
template <class T, class P>
struct Case {
    std::string name;
    Csr<T, P> a;
    Features features;
    Buffer<T> x, before;
    Buffer<double> product, scale;

    void solve() {
        std::mt19937 random(11);
        std::uniform_real_distribution<double> value(-1, 1);
        const std::size_t rows = static_cast<std::size_t>(a.rows);
        x = Buffer<T>(static_cast<std::size_t>(a.cols));
        before = Buffer<T>(rows);
        for (T& v : x) v = static_cast<T>(value(random));
        for (T& v : before) v = static_cast<T>(value(random));
        product = Buffer<double>(rows);
        scale = Buffer<double>(rows);
        reference_spmv(a.view(), x.data(), product.data(), scale.data());
        features = extract_features(a.view());
    }
};

/// Rows given as lists of columns; values are random in (-1, 1).
template <class T, class P>
Case<T, P> make(std::string name, index_t cols, const std::vector<std::vector<index_t>>& rows) {
    Case<T, P> c;
    c.name = std::move(name);
    std::mt19937 random(7);
    std::uniform_real_distribution<double> value(-1, 1);
    std::size_t nnz = 0;
    for (const auto& row : rows) nnz += row.size();
    c.a.rows = static_cast<index_t>(rows.size());
    c.a.cols = cols;
    c.a.row_ptr = Buffer<P>(rows.size() + 1, 0);
    c.a.col_idx = Buffer<index_t>(nnz);
    c.a.values = Buffer<T>(nnz);
    std::size_t k = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (const index_t j : rows[i]) {
            c.a.col_idx[k] = j;
            c.a.values[k++] = static_cast<T>(value(random));
        }
        c.a.row_ptr[i + 1] = static_cast<P>(k);
    }
    c.solve();
    return c;
}

using Rows = std::vector<std::vector<index_t>>;

Rows random_rows(index_t rows, index_t cols, double mean, unsigned seed) {
    std::mt19937 random(seed);
    Rows out(rows);
    for (auto& row : out) {
        std::poisson_distribution<int> length(mean);
        std::set<index_t> columns;
        const int n = std::min<int>(length(random), cols);
        while (static_cast<int>(columns.size()) < n)
            columns.insert(static_cast<index_t>(random() % cols));
        row.assign(columns.begin(), columns.end());
    }
    return out;
}

Rows banded_rows(index_t n, std::vector<index_t> diagonals) {
    Rows out(n);
    for (index_t i = 0; i < n; ++i)
        for (const index_t d : diagonals)
            if (i + d >= 0 && i + d < n) out[i].push_back(i + d);
    return out;
}

std::vector<index_t> every(index_t cols, index_t step = 1) {
    std::vector<index_t> row;
    for (index_t j = 0; j < cols; j += step) row.push_back(j);
    return row;
}

template <class T, class P>
std::vector<Case<T, P>> awkward() {
    std::vector<Case<T, P>> all;
    const auto add = [&](std::string name, index_t cols, const Rows& rows) {
        all.push_back(make<T, P>(std::move(name), cols, rows));
    };
    add("0x0", 0, {});
    add("0x5", 5, {});
    add("5x0", 0, Rows(5));
    add("1x1", 1, {{0}});
    add("1x1 empty", 1, {{}});
    add("1xn", 333, {every(333, 2)});
    add("nx1", 1, Rows(77, {0}));
    add("all empty", 9, Rows(40));
    add("dense 13x11", 11, Rows(13, every(11)));
    Rows mixed = random_rows(1027, 700, 6, 1);
    mixed[5] = every(700);
    mixed[1026] = every(700, 3);
    for (index_t i = 100; i < 300; ++i) mixed[i].clear();
    add("random with dense and empty rows", 700, mixed);
    Rows column = random_rows(515, 515, 1, 2);
    for (auto& row : column)
        if (row.empty() || row[0] != 0) row.insert(row.begin(), 0);
    add("dense column", 515, column);
    Rows growing(131);
    for (index_t i = 0; i < 131; ++i) growing[i] = every(i * 5);
    add("rows of 0 to 650", 650, growing);
    add("band", 403, banded_rows(403, {-20, -1, 0, 1, 20}));
    Rows nearly = banded_rows(900, {-30, -2, 0, 1});
    nearly[17].push_back(800);
    nearly[450].push_back(899);
    for (index_t i = 0; i < 270; ++i) nearly[i].push_back(i + 40);  // a diagonal 31 % occupied
    add("band and strays", 900, nearly);
    add("wide", 200000, random_rows(64, 200000, 9, 3));
    Rows far = random_rows(50, 60000, 5, 4);
    for (std::size_t i = 25; i < far.size(); ++i)
        for (index_t& j : far[i]) j += 140000;
    add("wide, narrow slices", 200000, far);
    add("tall", 3, random_rows(4099, 3, 1.2, 5));
    Rows blocks(96);
    for (index_t i = 0; i < 96; ++i)
        for (index_t b : {0, 5, 9}) {
            const index_t start = (i / 8 * 8 + b * 8) % 96;
            for (index_t j = 0; j < 8; ++j) blocks[i].push_back(start + j);
        }
    for (auto& row : blocks) std::sort(row.begin(), row.end());
    add("8x8 blocks", 96, blocks);
    Rows unsorted = random_rows(300, 250, 8, 6);
    for (auto& row : unsorted) std::reverse(row.begin(), row.end());
    add("unsorted columns", 250, unsorted);
    return all;
}

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
        const double old = beta == T{0} ? 0 : double{beta} * double{c.before[i]};
        const double want = double{alpha} * c.product[i] + old;
        const double bound = std::numeric_limits<T>::epsilon() *
                             (static_cast<double>(c.a.row_ptr[i + 1] - c.a.row_ptr[i]) + 4) *
                             (std::abs(alpha) * c.scale[i] + std::abs(old));
        if (!(std::abs(y[i] - want) <= bound)) return i;
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
    const Scale scales[] = {{1, 0}, {T(1.5), T(-0.5)}, {0, 1}, {-1, 1}, {0, 0}};
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

TYPED_TEST(Spmv, FootprintsAreHonest) {
    using T = typename TypeParam::first_type;
    using P = typename TypeParam::second_type;
    for (const auto& c : awkward<T, P>()) {
        const auto a = c.a.view();
        for (const auto& kernel : spmv_kernels<T, P>(Backend::cpu)) {
            if (kernel.variant.vendor) continue;  // what a library holds is its own affair
            const Footprint f = kernel.inspect(a, c.features, kernel.variant.params);
            if (!f.illegal.empty()) continue;
            const auto storage = kernel.convert(a, kernel.variant.params, 0);
            EXPECT_LE(f.moved_bytes, storage->bytes()) << kernel.variant.id() << " on " << c.name;
            const bool in_place = kernel.variant.layout == "csr.x32";
            if (!in_place && kernel.variant.format != "csr") {
                EXPECT_GE(f.storage_bytes, storage->bytes())
                    << kernel.variant.id() << " on " << c.name;
            }
        }
    }
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

}  // namespace
}  // namespace sptune
