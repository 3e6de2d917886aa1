// Awkward matrices, with vectors and what the reference makes of them.
#pragma once

#include "features/features.hpp"
#include "kernels/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace sptune {

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

    /// y_i = α (A x)_i + β before_i, plus or minus twice what any order of summation can lose.
    double expected(index_t i, T alpha, T beta) const {
        return double{alpha} * product[i] + (beta == T{0} ? 0 : double{beta} * double{before[i]});
    }
    double allowed(index_t i, T alpha, T beta) const {
        const double old = beta == T{0} ? 0 : double{beta} * double{before[i]};
        return std::numeric_limits<T>::epsilon() *
               (static_cast<double>(a.row_ptr[i + 1] - a.row_ptr[i]) + 4) *
               (std::abs(alpha) * scale[i] + std::abs(old));
    }
    bool accepts(index_t i, T alpha, T beta, T y) const {
        return std::abs(y - expected(i, alpha, beta)) <= allowed(i, alpha, beta);  // false for NaN
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

inline Rows random_rows(index_t rows, index_t cols, double mean, unsigned seed) {
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

inline Rows banded_rows(index_t n, std::vector<index_t> diagonals) {
    Rows out(n);
    for (index_t i = 0; i < n; ++i)
        for (const index_t d : diagonals)
            if (i + d >= 0 && i + d < n) out[i].push_back(i + d);
    return out;
}

inline std::vector<index_t> every(index_t cols, index_t step = 1) {
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
    // Beyond HYB's 25 a row: many short rests in a slice, none, four longer ones and no full slice.
    Rows middling(75);
    for (index_t i = 0; i < 75; ++i)
        middling[i] = every(i < 32 ? i % 2 * 45 + 5 : i < 38 ? 5 : i < 64 ? 25 : i % 3 * 40 + 5);
    add("middling rows side by side", 130, middling);
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
    Rows moving(401);  // diagonals that last for 37 rows, with holes, strays and an entry twice
    for (index_t i = 0; i < 401; ++i) {
        const index_t piece = i / 37;
        for (const index_t d : {piece * 7, piece * 7 + 1, 100 + piece * 13})
            if (i + d < 450 && (i + d) % 11 != 0) moving[i].push_back(i + d);
        if (i % 9 == 0) moving[i].push_back(i * 31 % 450);
        std::sort(moving[i].begin(), moving[i].end());
    }
    moving[200].push_back(moving[200].back());
    add("moving diagonals", 450, moving);
    return all;
}

}  // namespace sptune
