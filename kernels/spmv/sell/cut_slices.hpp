// Which rows of A make which slice, and how wide slices are.
#pragma once

#include "kernels/parallel.hpp"
#include "kernels/spmv/long_rows.hpp"
#include "kernels/spmv/row_order.hpp"
#include "matrix/csr.hpp"
#include "matrix/parallel.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace sptune::sell {

/// Rows that are stored beside the slices.
struct Beside {
    std::int64_t rows = 0, entries = 0;
};

/// Where the slices begin, and in which order the rows are stored.
struct Slices {
    Buffer<index_t> order;
    bool sorted = false;  ///< or every row has its own place
    Buffer<std::int64_t> slice_ptr;
    index_t count = 0;
    Beside beside;

    std::int64_t stored() const { return slice_ptr[count]; }
    /// What is longer than this lies beside the slice.
    std::int64_t width(index_t slice, int c) const {
        return (slice_ptr[slice + 1] - slice_ptr[slice]) / c;
    }
};

/// The width of the slice of rows row_at(first) to row_at(last - 1), and into `beside` what is
/// stored beside it.
template <class P, class RowAt>
std::int64_t cut_slice(const P* row_ptr, std::int64_t first, std::int64_t last, int c,
                       const LongRowRule& rule, Beside& beside, RowAt row_at) {
    const auto length = [&](std::int64_t k) {
        const index_t i = row_at(k);
        return static_cast<std::int64_t>(row_ptr[i + 1] - row_ptr[i]);
    };
    std::int64_t longest = 0;
    for (std::int64_t k = first; k < last; ++k) longest = std::max(longest, length(k));
    if (longest < rule.least()) return longest;
    std::vector<std::int64_t> lengths;
    for (std::int64_t k = first; k < last; ++k) lengths.push_back(length(k));
    const std::int64_t width = rule.width(lengths, c);
    for (const std::int64_t l : lengths)
        if (l > width) ++beside.rows, beside.entries += l;
    return width;
}

/// Slices of one window are spread over its rows. Where two threads shared a window they would
/// write to the same lines of y all the time, and take up to three times as long: windows end where
/// shares of the rows do. Always of all threads (see ThreadLimit), so that inspecting and
/// converting see the same slices.
template <class P>
Slices cut_windows(const P* row_ptr, index_t rows, int c, int sigma) {
    constexpr int kLine = 64 / sizeof(float);
    constexpr index_t kLeastRows = 256;  // of a share
    const int shares = std::min(resolve_threads(0), static_cast<int>(rows / kLeastRows) + 1);
    Slices s;
    s.sorted = sigma != 1;
    s.order = order_rows(row_ptr, sigma, share_borders(row_ptr, rows, std::lcm(c, kLine), shares));
    s.count = static_cast<index_t>((std::int64_t{rows} + c - 1) / c);
    s.slice_ptr = Buffer<std::int64_t>(static_cast<std::size_t>(s.count) + 1);
    s.slice_ptr[0] = 0;
    const LongRowRule rule(rows > 0 ? row_ptr[rows] : 0);
    std::int64_t rows_beside = 0, entries_beside = 0;
    ExceptionCarrier carrier;
#pragma omp parallel for schedule(static) num_threads(shares) \
    reduction(+ : rows_beside, entries_beside)
    for (index_t slice = 0; slice < s.count; ++slice)
        carrier.run([&] {
            const std::int64_t first = std::int64_t{slice} * c;
            Beside beside;
            s.slice_ptr[slice + 1] =
                c * cut_slice(row_ptr, first, std::min<std::int64_t>(first + c, rows), c, rule,
                              beside, [&](std::int64_t k) { return s.order[k]; });
            rows_beside += beside.rows, entries_beside += beside.entries;
        });
    carrier.rethrow();
    s.beside = {rows_beside, entries_beside};
    std::partial_sum(s.slice_ptr.begin(), s.slice_ptr.end(), s.slice_ptr.begin());
    return s;
}

/// Stored entries of slices of rows in their own order, and beside them.
template <class P>
std::int64_t stored_unsorted(const P* row_ptr, index_t rows, int c) {
    const LongRowRule rule(rows > 0 ? row_ptr[rows] : 0);
    std::int64_t stored = 0;
    ExceptionCarrier carrier;
#pragma omp parallel for schedule(static) reduction(+ : stored)
    for (std::int64_t first = 0; first < rows; first += c)
        carrier.run([&] {
            Beside beside;
            stored +=
                c * cut_slice(row_ptr, first, std::min<std::int64_t>(first + c, rows), c, rule,
                              beside, [](std::int64_t i) { return static_cast<index_t>(i); });
            stored += beside.entries;
        });
    carrier.rethrow();
    return stored;
}

/// Unsorted where that is faster: a row that is not stored in its own place takes as long as
/// kPlaceCost entries more, for its place has to be read and its sum to be written alone.
template <class P>
Slices cut_slices(const P* row_ptr, index_t rows, int c, int sigma) {
    constexpr double kPlaceCost = 0.6;  // 0.4 to 1 on an x86 with AVX-512
    Slices s = cut_windows(row_ptr, rows, c, sigma);
    if (sigma == 1) return s;
    const auto saved =
        static_cast<double>(stored_unsorted(row_ptr, rows, c) - s.stored() - s.beside.entries);
    return saved < kPlaceCost * rows ? cut_windows(row_ptr, rows, c, 1) : std::move(s);
}

}  // namespace sptune::sell
