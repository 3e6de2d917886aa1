// Orders rows by length inside windows: the σ of SELL-C-σ, and with one window pJDS.
#pragma once

#include "kernels/parallel.hpp"
#include "matrix/csr.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace sptune {

/// order[k] is the row that comes k-th when every window of `sigma` rows (kAll: all rows) is sorted
/// by falling length, ties in row order. sigma 1 keeps the rows as they are.
template <class P>
Buffer<index_t> order_rows(const P* row_ptr, index_t rows, int sigma, int threads) {
    Buffer<index_t> order(static_cast<std::size_t>(rows));
    const std::int64_t window = sigma == 0 ? std::max<std::int64_t>(rows, 1) : sigma;
    const std::int64_t windows = (rows + window - 1) / window;
    const auto length = [&](index_t i) { return row_ptr[i + 1] - row_ptr[i]; };
#pragma omp parallel for schedule(static) num_threads(resolve_threads(threads))
    for (std::int64_t w = 0; w < windows; ++w) {
        const index_t first = static_cast<index_t>(w * window);
        const index_t last = static_cast<index_t>(std::min<std::int64_t>(first + window, rows));
        for (index_t i = first; i < last; ++i) order[i] = i;
        if (window == 1) continue;
        if (window <= 256) {
            std::sort(order.begin() + first, order.begin() + last, [&](index_t a, index_t b) {
                return length(a) != length(b) ? length(a) > length(b) : a < b;
            });
            continue;
        }
        // Counting sort: rows are short, so there are few different lengths; the rare long rows
        // share the first bucket and are sorted among themselves.
        constexpr std::size_t kBuckets = 4096;
        std::array<index_t, kBuckets + 1> begin{};  // not on the heap: nothing here may throw
        const auto bucket = [&](index_t i) {
            return kBuckets - 1 -
                   std::min<std::size_t>(static_cast<std::size_t>(length(i)), kBuckets - 1);
        };
        for (index_t i = first; i < last; ++i) ++begin[bucket(i) + 1];
        for (std::size_t b = 0; b < kBuckets; ++b) begin[b + 1] += begin[b];
        const index_t longest = begin[1];
        for (index_t i = first; i < last; ++i) order[first + begin[bucket(i)]++] = i;
        std::stable_sort(order.begin() + first, order.begin() + first + longest,
                         [&](index_t a, index_t b) { return length(a) > length(b); });
    }
    return order;
}

}  // namespace sptune
