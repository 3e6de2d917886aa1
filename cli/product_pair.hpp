// The pair of matrices that a product is about.
#pragma once

#include "cli/output.hpp"
#include "cli/stopwatch.hpp"
#include "features/features.hpp"
#include "features/product.hpp"
#include "matrix/convert.hpp"
#include "matrix/number.hpp"
#include "matrix/transposed.hpp"

#include <limits>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace sptune::cli {

/// What 32-bit row pointers count.
inline constexpr std::uint64_t kMostNarrow = std::numeric_limits<std::int32_t>::max();

/// Calls use(a, b), both with 64-bit row pointers.
template <class T, class Use>
auto with_wide_pointers(CsrView<T, std::int32_t> a, CsrView<T, std::int32_t> b, Use use) {
    const Csr<T, std::int64_t> wide_a = cast_csr<T, std::int64_t>(a);
    if (a.row_ptr == b.row_ptr) return use(wide_a.view(), wide_a.view());
    const Csr<T, std::int64_t> wide_b = cast_csr<T, std::int64_t>(b);
    return use(wide_a.view(), wide_b.view());
}

/// What --op spgemm multiplies A by: calls use(b, fingerprint of b) with A itself or, of a
/// rectangular matrix, Aᵀ. `fingerprint_a` is that of Features.
template <class T, class P, class Use>
auto with_factor(CsrView<T, P> a, std::uint64_t fingerprint_a, int threads, Use use) {
    if (a.rows == a.cols) return use(a, fingerprint_a);
    const Transposed<T, P> transposed(a, threads);
    return use(transposed.view(), fingerprint(transposed.view(), threads));
}

/// What --op spgemm measures: calls use(a, b, product, features_us), b as in with_factor().
/// Row pointers are widened where nnz(C) passes `most_narrow`: counted, where the
/// upper bound does. features_us is what the features of the
/// pair took.
template <class T, class P, class Use>
auto with_product(CsrView<T, P> a, std::uint64_t fingerprint_a, int threads, Use use,
                  std::uint64_t most_narrow = kMostNarrow) {
    return with_factor(
        a, fingerprint_a, threads, [&](CsrView<T, P> b, std::uint64_t fingerprint_b) {
            const Stopwatch watch;
            const ProductFeatures product =
                product_features(a, b, fingerprint_a, fingerprint_b, threads);
            const double features_us = watch.seconds() * 1e6;
            if constexpr (std::is_same_v<P, std::int32_t>) {
                const std::uint64_t entries = product.upper_entries > most_narrow
                                                  ? count_product_entries(a, b, threads)
                                                  : product.upper_entries;
                if (entries > most_narrow) {
                    warn(fmt::format(
                        "C has {} nonzeros, more than 32-bit row pointers count: A, B and "
                        "C get 64-bit ones",
                        count(static_cast<std::int64_t>(entries))));
                    return with_wide_pointers(a, b, [&](auto wide_a, auto wide_b) {
                        return use(wide_a, wide_b, product, features_us);
                    });
                }
            }
            return use(a, b, product, features_us);
        });
}

}  // namespace sptune::cli
