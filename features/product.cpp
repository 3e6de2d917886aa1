#include "features/product.hpp"

#include "features/sample.hpp"
#include "features/slot_table.hpp"
#include "matrix/counter_random.hpp"
#include "matrix/parallel.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sptune {

namespace {

/// Entries of row i of C. `mark_of(column)` is the place of a column's mark, none of which equals
/// i.
template <class T, class P, class MarkOf>
std::uint64_t count_entries(CsrView<T, P> a, CsrView<T, P> b, std::int64_t i,
                            const MarkOf& mark_of) {
    std::uint64_t entries = 0;
    for (P k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
        const index_t row = a.col_idx[k];
        for (P l = b.row_ptr[row]; l < b.row_ptr[row + 1]; ++l) {
            index_t& mark = mark_of(b.col_idx[l]);
            entries += mark != i;
            mark = static_cast<index_t>(i);
        }
    }
    return entries;
}

}  // namespace

std::uint64_t pair_fingerprint(std::uint64_t a, std::uint64_t b) {
    return mix64(mix64(a + 1) ^ (b + 0x9e3779b97f4a7c15u));
}

template <class T, class P>
void count_products(CsrView<T, P> a, CsrView<T, P> b, std::uint64_t* of_row, int threads) {
    const int workers = team_size(threads, static_cast<std::uint64_t>(a.nnz()));
#pragma omp parallel for schedule(static) num_threads(workers)
    for (index_t i = 0; i < a.rows; ++i) {
        std::uint64_t products = 0;
        for (P k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
            const index_t row = a.col_idx[k];
            products += static_cast<std::uint64_t>(b.row_ptr[row + 1] - b.row_ptr[row]);
        }
        of_row[i] = products;
    }
}

template <class T, class P>
ProductFeatures product_features(CsrView<T, P> a, CsrView<T, P> b, std::uint64_t fingerprint_a,
                                 std::uint64_t fingerprint_b, int threads,
                                 std::uint64_t sample_products) {
    ProductFeatures f;
    f.rows = a.rows, f.inner = a.cols, f.cols = b.cols;
    f.a_entries = static_cast<std::uint64_t>(a.nnz());
    f.b_entries = static_cast<std::uint64_t>(b.nnz());
    f.fingerprint = pair_fingerprint(fingerprint_a, fingerprint_b);
    if (a.rows == 0) return f;

    Buffer<std::uint64_t> products(static_cast<std::size_t>(a.rows));
    count_products(a, b, products.data(), threads);
    double squares = 0;
    for (const std::uint64_t p : products) {
        f.products += p;
        f.longest_row = std::max(f.longest_row, p);
        f.upper_entries += std::min(p, static_cast<std::uint64_t>(b.cols));
        squares += static_cast<double>(p) * static_cast<double>(p);
    }
    const auto rows = static_cast<double>(a.rows);
    f.products_per_row = static_cast<double>(f.products) / rows;
    if (f.products == 0) return f;
    const double variance = squares / rows - f.products_per_row * f.products_per_row;
    f.products_cv = std::sqrt(std::max(0.0, variance)) / f.products_per_row;

    // Windows of 32 rows: neighbours are alike, so many short windows tell more than a few long.
    constexpr std::int64_t kWindow = 32;
    const double share =
        std::min(1.0, static_cast<double>(sample_products) / static_cast<double>(f.products));
    const auto wanted = static_cast<std::int64_t>(share * rows);
    const RowSample sample(a.rows, wanted, kWindow, std::max<std::int64_t>(1, wanted / kWindow));
    const std::vector<RowWindow> units = sample.units();
    std::uint64_t looked_at = 0, found = 0;
    for (const RowWindow& unit : units)
        for (std::int64_t i = unit.first; i < unit.last; ++i)
            if (products[i] <= kMostProductsOfRow) looked_at += products[i];
    constexpr std::uint64_t kFewColumns = 8;  // for each product: an array is faster than a table
    const bool few = static_cast<std::uint64_t>(b.cols) <= kFewColumns * looked_at;
    ExceptionCarrier carrier;
#pragma omp parallel num_threads(thread_count(threads, looked_at)) reduction(+ : found)
    {
        SlotTable slots;
        std::vector<index_t> marks;
        bool ready = false;
        carrier.run([&] {
            if (!few) slots.reset(looked_at);
            marks.assign(few ? static_cast<std::size_t>(b.cols) : looked_at, -1);
            ready = true;
        });
        const auto mark_of = [&](index_t c) -> index_t& {
            return marks[few ? static_cast<std::size_t>(c) : slots[static_cast<std::uint32_t>(c)]];
        };
#pragma omp for schedule(dynamic, 4)
        for (std::size_t u = 0; u < units.size(); ++u)
            for (std::int64_t i = units[u].first; ready && i < units[u].last; ++i)
                if (products[i] <= kMostProductsOfRow) found += count_entries(a, b, i, mark_of);
    }
    carrier.rethrow();
    f.sampled_share = static_cast<double>(looked_at) / static_cast<double>(f.products);
    if (found > 0) f.compression = static_cast<double>(looked_at) / static_cast<double>(found);
    f.estimated_entries = std::min(static_cast<double>(f.products) / f.compression,
                                   static_cast<double>(f.upper_entries));
    return f;
}

template <class T, class P>
std::uint64_t count_product_entries(CsrView<T, P> a, CsrView<T, P> b, int threads) {
    constexpr std::int64_t kRows = 64;  // in a row: hubs must not keep one thread busy alone
    const std::int64_t pieces = (std::int64_t{a.rows} + kRows - 1) / kRows;
    const int workers = thread_count(threads, static_cast<std::uint64_t>(a.nnz()));
    std::uint64_t entries = 0;
    ExceptionCarrier carrier;
#pragma omp parallel num_threads(workers) reduction(+ : entries)
    {
        std::vector<index_t> marker;
        carrier.run([&] { marker.assign(static_cast<std::size_t>(b.cols), -1); });
#pragma omp for schedule(dynamic, 1)
        for (std::int64_t piece = 0; piece < pieces; ++piece) {
            if (marker.empty()) continue;
            const std::int64_t last = std::min<std::int64_t>((piece + 1) * kRows, a.rows);
            for (std::int64_t i = piece * kRows; i < last; ++i)
                entries += count_entries(a, b, i, [&](index_t c) -> index_t& {
                    return marker[static_cast<std::size_t>(c)];
                });
        }
    }
    carrier.rethrow();
    return entries;
}

#define SPTUNE_INSTANTIATE(T, P)                                                           \
    template std::uint64_t count_product_entries(CsrView<T, P>, CsrView<T, P>, int);       \
    template void count_products(CsrView<T, P>, CsrView<T, P>, std::uint64_t*, int);       \
    template ProductFeatures product_features(CsrView<T, P>, CsrView<T, P>, std::uint64_t, \
                                              std::uint64_t, int, std::uint64_t);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune
