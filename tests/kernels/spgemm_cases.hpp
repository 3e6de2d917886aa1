// Awkward pairs, and whether a product is what the reference says.
#pragma once

#include "features/product.hpp"
#include "kernels/spgemm/kernel.hpp"
#include "kernels/spgemm/reference.hpp"
#include "tests/kernels/spmv_cases.hpp"

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace sptune {

/// A pair with what the reference makes of it.
template <class T, class P>
struct PairCase {
    std::string name;
    Csr<T, P> a, b;
    ProductFeatures features;
    SpgemmReference reference;

    SpgemmProblem<T, P> problem() const {
        return {a.view(), b.view(), features.products, features.longest_row,
                features.upper_entries};
    }
    void solve() {
        features = product_features(a.view(), b.view(), 1, 2);
        reference = reference_spgemm(a.view(), b.view());
    }
};

template <class T, class P>
Csr<T, P> transposed(CsrView<T, P> a) {
    Csr<T, P> t{a.cols, a.rows, Buffer<P>(static_cast<std::size_t>(a.cols) + 1, 0),
                Buffer<index_t>(static_cast<std::size_t>(a.nnz())),
                Buffer<T>(static_cast<std::size_t>(a.nnz()))};
    for (P k = 0; k < a.nnz(); ++k) ++t.row_ptr[static_cast<std::size_t>(a.col_idx[k]) + 1];
    for (index_t j = 0; j < a.cols; ++j) t.row_ptr[j + 1] += t.row_ptr[j];
    std::vector<P> at(t.row_ptr.begin(), t.row_ptr.end());
    for (index_t i = 0; i < a.rows; ++i)
        for (P k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
            const auto to = static_cast<std::size_t>(at[static_cast<std::size_t>(a.col_idx[k])]++);
            t.col_idx[to] = i;
            t.values[to] = a.values[k];
        }
    return t;
}

/// The values made whole numbers from -2 to 2, so that sums cancel exactly and entries are 0.
template <class T, class P>
void make_whole(Csr<T, P>& a) {
    for (std::size_t k = 0; k < a.values.size(); ++k)
        a.values[k] = static_cast<T>(static_cast<int>(k * 7 % 5) - 2);
}

/// A·A of every square awkward matrix of SpMV, A·Aᵀ of the others, and what products alone find
/// awkward.
template <class T, class P>
std::vector<PairCase<T, P>> awkward_pairs() {
    std::vector<PairCase<T, P>> all;
    const auto add = [&](std::string name, Csr<T, P> a, Csr<T, P> b) {
        PairCase<T, P> c{std::move(name), std::move(a), std::move(b), {}, {}};
        c.features = product_features(c.a.view(), c.b.view(), 1, 2);
        constexpr std::uint64_t kMost = 60'000;  // products; more only take time
        if (c.features.products > kMost) return;
        c.solve();
        all.push_back(std::move(c));
    };
    const auto rows = [](index_t cols, const Rows& list) {
        return std::move(make<T, P>("", cols, list).a);
    };
    for (auto& c : awkward<T, P>()) {
        Csr<T, P> b = transposed(c.a.view());
        if (c.a.rows != c.a.cols) add(c.name + " times transpose", std::move(c.a), std::move(b));
    }
    for (auto& c : awkward<T, P>()) {
        if (c.a.rows != c.a.cols) continue;
        Csr<T, P> b = transposed(transposed(c.a.view()).view());  // a copy with sorted columns
        add(c.name + " squared", std::move(c.a), std::move(b));
    }
    Csr<T, P> whole = rows(60, random_rows(80, 60, 6, 21)),
              other = rows(70, random_rows(60, 70, 5, 22));
    make_whole(whole), make_whole(other);
    add("cancels to zero", std::move(whole), std::move(other));
    add("empty times full", rows(40, Rows(30)), rows(50, Rows(40, every(50))));
    add("no inner", rows(0, Rows(30)), rows(50, {}));
    add("no columns", rows(40, Rows(30, every(40))), rows(0, Rows(40)));
    Rows one_dense = banded_rows(700, {-1, 0, 1});
    one_dense[300] = every(700);
    add("one dense row", rows(700, one_dense), rows(700, one_dense));
    add("wide", rows(3000, random_rows(40, 3000, 30, 23)),
        rows(300'000, random_rows(3000, 300'000, 12, 24)));
    add("far columns", rows(64, random_rows(64, 64, 8, 25)),
        rows(3'000'000, random_rows(64, 3'000'000, 3, 26)));
    Rows doubled = random_rows(90, 90, 4, 27);
    for (auto& row : doubled) row.insert(row.end(), row.begin(), row.end());
    add("duplicates", rows(90, doubled), rows(90, doubled));
    return all;
}

/// Whether a sweep would measure it. What wastes time or memory takes them from tests as well.
inline bool is_worth_while(const SpgemmFootprint& f) {
    return f.illegal.empty() && f.wasteful.empty();
}

/// What is wrong with C, or nothing. Unsorted rows are sorted first unless `sorted` asks for sorted
/// ones. With `dropped`, entries that are 0 must be missing and others may be: where the reference
/// is within its own error of 0.
template <class T, class P>
std::string product_problem(CsrView<T, P> c, const SpgemmReference& r, index_t cols, bool sorted,
                            bool dropped) {
    const auto rows = static_cast<index_t>(r.row_ptr.size() - 1);
    if (c.rows != rows || c.cols != cols)
        return fmt::format("is {} x {}, expected {} x {}", c.rows, c.cols, rows, cols);
    if (rows > 0 && c.row_ptr[0] != 0) return "does not start at 0";
    for (index_t i = 0; i < rows; ++i) {
        std::vector<std::pair<index_t, T>> row;
        for (P k = c.row_ptr[i]; k < c.row_ptr[i + 1]; ++k) {
            if (sorted && !row.empty() && row.back().first >= c.col_idx[k])
                return fmt::format("row {} is not sorted", i);
            row.emplace_back(c.col_idx[k], c.values[k]);
        }
        std::sort(row.begin(), row.end());
        std::size_t at = 0;
        for (auto k = static_cast<std::size_t>(r.row_ptr[i]);
             k < static_cast<std::size_t>(r.row_ptr[i + 1]); ++k) {
            const double allowed =
                std::numeric_limits<T>::epsilon() * (r.terms[k] + 4) *
                (r.magnitude[k] + static_cast<double>(std::numeric_limits<T>::min()));
            const bool there = at < row.size() && row[at].first == r.col_idx[k];
            if (!there && !(dropped && std::abs(r.values[k]) <= allowed))
                return fmt::format("({}, {}) is missing", i, r.col_idx[k]);
            if (!there) continue;
            const T value = row[at++].second;
            if (!(std::abs(value - r.values[k]) <= allowed))
                return fmt::format("({}, {}) is {}, expected {}", i, r.col_idx[k], value,
                                   r.values[k]);
            if (dropped && value == T{0}) return fmt::format("({}, {}) is 0", i, r.col_idx[k]);
        }
        if (at < row.size()) return fmt::format("({}, {}) is too many", i, row[at].first);
    }
    return {};
}

}  // namespace sptune
