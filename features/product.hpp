// What can be known of C = A·B without multiplying.
#pragma once

#include "matrix/csr.hpp"

#include <cstdint>

namespace sptune {

/// Features of a pair. "Products" are multiplications a_ik · b_kj.
struct ProductFeatures {
    std::int64_t rows = 0, inner = 0, cols = 0;  ///< A is rows × inner, B inner × cols
    std::uint64_t a_entries = 0, b_entries = 0;
    std::uint64_t products = 0;       ///< Σ over a_ik of the length of row k of B
    std::uint64_t longest_row = 0;    ///< most products of one row of C
    std::uint64_t upper_entries = 0;  ///< bound of nnz(C): Σ over rows min(products, cols)
    double products_per_row = 0;      ///< mean
    double products_cv = 0;           ///< coefficient of variation of the products per row
    double estimated_entries = 0;     ///< of nnz(C), from sampled rows
    double compression = 1;           ///< products / estimated_entries; at least 1
    double sampled_share = 1;         ///< share of the products that the estimate looked at
    std::uint64_t fingerprint = 0;    ///< of the two patterns, in this order
};

/// Rows of C with more products are not among those that the estimate looks at: a few of them would
/// take longer than all else.
inline constexpr std::uint64_t kMostProductsOfRow = 1 << 19;

/// One pass over A's columns and a symbolic product of about `sample_products` products (all of
/// them where there are no more, and of at least 32 rows). A.cols == B.rows. Parallel; the same for
/// any number of threads. `fingerprint_a` and `fingerprint_b` are those of Features. Throws
/// OutOfMemory.
template <class T, class P>
ProductFeatures product_features(CsrView<T, P> a, CsrView<T, P> b, std::uint64_t fingerprint_a,
                                 std::uint64_t fingerprint_b, int threads = 0,
                                 std::uint64_t sample_products = 1 << 20);

/// nnz(C), exactly, by a symbolic product: about half the work of a multiplication. Parallel; a
/// slot for every column of B for each thread. Throws OutOfMemory.
template <class T, class P>
std::uint64_t count_product_entries(CsrView<T, P> a, CsrView<T, P> b, int threads = 0);

/// Whether the two are the same arrays, as those of A·A are.
template <class T, class P>
bool is_square_of_one(CsrView<T, P> a, CsrView<T, P> b) {
    return a.row_ptr == b.row_ptr && a.col_idx == b.col_idx && a.rows == b.rows && a.cols == b.cols;
}

/// What identifies a pair: not symmetric in its arguments.
std::uint64_t pair_fingerprint(std::uint64_t a, std::uint64_t b);

/// Products of each row of C, `rows` of them.
template <class T, class P>
void count_products(CsrView<T, P> a, CsrView<T, P> b, std::uint64_t* of_row, int threads);

}  // namespace sptune
