// Orders rows by length inside windows: the σ of SELL-C-σ, and with one window pJDS.
#pragma once

#include "kernels/params.hpp"
#include "kernels/spmv/balance.hpp"
#include "matrix/csr.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace sptune {

/// Where shares of rows end that no window is to reach beyond: `parts` of them of equal work, each
/// but the last a multiple of `unit` rows. parts + 1 numbers, from 0 to `rows`.
template <class P>
std::vector<index_t> share_borders(const P* row_ptr, index_t rows, int unit, int parts) {
    std::vector<index_t> borders(static_cast<std::size_t>(parts) + 1, rows);
    borders[0] = 0;
    for (int part = 1; part < parts; ++part) {
        const std::int64_t near = balanced_row(row_ptr, rows, 1, parts, part) + unit / 2;
        borders[static_cast<std::size_t>(part)] =
            static_cast<index_t>(std::min<std::int64_t>(near / unit * unit, rows));
    }
    return borders;
}

/// order[k] is the row that comes k-th when every window of `sigma` rows (kAll: all rows of the
/// share) is sorted by falling length, ties in row order. sigma 1 keeps the rows as they are. The
/// windows of a share begin with its first row; {0, rows} is one share.
template <class P>
Buffer<index_t> order_rows(const P* row_ptr, int sigma, const std::vector<index_t>& borders) {
    Buffer<index_t> order(static_cast<std::size_t>(borders.back()));
    const auto length = [&](index_t i) { return row_ptr[i + 1] - row_ptr[i]; };
    const auto sort_window = [&](index_t first, index_t last) noexcept {
        for (index_t i = first; i < last; ++i) order[i] = i;
        if (sigma == 1) return;
        if (last - first <= 256) {
            std::sort(order.begin() + first, order.begin() + last, [&](index_t a, index_t b) {
                return length(a) != length(b) ? length(a) > length(b) : a < b;
            });
            return;
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
    };
    const auto shares = static_cast<int>(borders.size()) - 1;
#pragma omp parallel for schedule(static) num_threads(shares)
    for (int share = 0; share < shares; ++share) {
        const auto at = static_cast<std::size_t>(share);
        const std::int64_t end = borders[at + 1];
        const std::int64_t window = sigma == kAll ? std::max<std::int64_t>(end, 1) : sigma;
        for (std::int64_t first = borders[at]; first < end; first += window)
            sort_window(static_cast<index_t>(first),
                        static_cast<index_t>(std::min(first + window, end)));
    }
    return order;
}

}  // namespace sptune
