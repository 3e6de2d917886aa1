#include "features/constant_values.hpp"
#include "kernels/instantiate.hpp"
#include "kernels/parallel.hpp"
#include "kernels/spmv/padding.hpp"
#include "kernels/spmv/sell/cut_slices.hpp"
#include "kernels/spmv/sell/format.hpp"
#include "kernels/spmv/sell/grid.hpp"
#include "matrix/error.hpp"
#include "matrix/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <vector>

namespace sptune {

namespace {

using sell::cut_slices, sell::Slices;

constexpr index_t kSpan16 = 1 << 16;

constexpr char kTooWide[] = "a slice spans 65536 columns or more";

/// Smallest and largest column of a slice; {0, 0} for an empty one. Of rows whose columns are known
/// to be `sorted` only both ends are looked at.
template <class T, class P>
std::pair<index_t, index_t> column_span(CsrView<T, P> a, const Slices& s, int c, index_t slice,
                                        bool sorted = false) {
    index_t low = std::numeric_limits<index_t>::max(), high = 0;
    const std::int64_t first = std::int64_t{slice} * c, width = s.width(slice, c);
    for (std::int64_t k = first; k < std::min<std::int64_t>(first + c, a.rows); ++k) {
        const std::int64_t begin = a.row_ptr[s.order[k]], end = a.row_ptr[s.order[k] + 1];
        if (end - begin > width) continue;
        const std::int64_t step = sorted ? std::max<std::int64_t>(end - begin - 1, 1) : 1;
        for (std::int64_t e = begin; e < end; e += step) {
            low = std::min(low, a.col_idx[e]);
            high = std::max(high, a.col_idx[e]);
        }
    }
    return {std::min(low, high), high};
}

/// Whether some row alone spans too much, whatever slice it comes to, unless it may be stored
/// beside it. By its first and its last entry, which lie furthest apart where columns are sorted:
/// far less to look at than all slices.
template <class T, class P>
bool some_row_too_wide(CsrView<T, P> a) {
    if (a.cols <= kSpan16) return false;
    constexpr std::int64_t kChunk = 4096;
    std::atomic<bool> found{false};
    const std::int64_t rows = a.rows;  // the end of the last chunk may lie beyond 2^31
    const std::int64_t least = LongRowRule(a.nnz()).least();
#pragma omp parallel for schedule(dynamic, 1)
    for (std::int64_t first = 0; first < rows; first += kChunk) {
        if (found.load(std::memory_order_relaxed)) continue;
        bool wide = false;
        for (std::int64_t i = first; i < std::min(rows, first + kChunk); ++i) {
            const P begin = a.row_ptr[i], end = a.row_ptr[i + 1];
            wide |= begin < end && end - begin < least &&
                    std::abs(a.col_idx[end - 1] - a.col_idx[begin]) >= kSpan16;
        }
        if (wide) found = true;
    }
    return found;
}

template <class T, class P>
bool slices_span_16_bits(CsrView<T, P> a, const Slices& s, int c, bool sorted) {
    if (a.cols <= kSpan16) return true;
    for (index_t slice = 0; slice < s.count; ++slice) {
        const auto [low, high] = column_span(a, s, c, slice, sorted);
        if (high - low >= kSpan16) return false;
    }
    return true;
}

template <class T, class P, class I>
void fill_slice(CsrView<T, P> a, const Slices& s, int c, index_t slice, index_t base, T* values,
                I* column) {
    const std::int64_t begin = s.slice_ptr[slice], width = s.width(slice, c);
    for (int lane = 0; lane < c; ++lane) {
        const std::int64_t k = std::int64_t{slice} * c + lane;
        const std::int64_t i = k < a.rows ? s.order[k] : a.rows;
        const bool here = i < a.rows && a.row_ptr[i + 1] - a.row_ptr[i] <= width;
        fill_padded_row(a, here ? i : std::int64_t{a.rows}, width, base, values, column,
                        [&](std::int64_t j) { return begin + lane + j * c; });
    }
}

/// Whether to store how long rows are instead of a value that all entries have: where that takes
/// about half as much at most. Lengths have to be exact as a T.
template <class T, class P>
bool drops_values(CsrView<T, P> a, const Slices& s, int c, int threads) {
    constexpr std::int64_t kExact = std::min(std::int64_t{1} << std::numeric_limits<T>::digits,
                                             std::int64_t{std::numeric_limits<index_t>::max()});
    if (!sell::knows_one_value(c) || s.stored() < 2 * std::int64_t{c} * s.count ||
        !has_one_value(a, threads))
        return false;
    if (s.stored() / c <= kExact) return true;
    for (index_t slice = 0; slice < s.count; ++slice)
        if (s.width(slice, c) > kExact) return false;
    return true;
}

template <class T, class P>
void note_lengths(CsrView<T, P> a, const Slices& s, int c, index_t slice,
                  typename SellStorage<T>::One& one) {
    const std::int64_t width = s.width(slice, c);
    std::int64_t full = width;
    for (int lane = 0; lane < c; ++lane) {
        const std::int64_t k = std::int64_t{slice} * c + lane;
        std::int64_t length = width;  // of rows that are none, whose sums nobody wants
        if (k < a.rows) {
            length = a.row_ptr[s.order[k] + 1] - a.row_ptr[s.order[k]];
            if (length > width) length = 0;  // beside the slice
        }
        one.length[static_cast<std::size_t>(k)] = static_cast<T>(length);
        full = std::min(full, length);
    }
    one.full[slice] = static_cast<index_t>(full);
}

/// What is longer than its slice is wide.
template <class T, class P>
LongRows<T> rows_beside(CsrView<T, P> a, const Slices& s, int c) {
    std::vector<index_t> rows;
    std::vector<std::int64_t> lengths;
    for (std::int64_t k = 0; k < (s.beside.rows > 0 ? a.rows : 0); ++k) {
        const index_t i = s.order[k];
        const std::int64_t length = a.row_ptr[i + 1] - a.row_ptr[i];
        if (length <= s.width(static_cast<index_t>(k / c), c)) continue;
        rows.push_back(i);
        lengths.push_back(length);
    }
    LongRows<T> out(rows, lengths);
    for (index_t n = 0; n < out.count(); ++n) {
        const std::int64_t begin = a.row_ptr[out.row[n]], length = lengths[n];
        std::copy_n(a.col_idx + begin, length, out.column.data() + out.ptr[n]);
        std::copy_n(a.values + begin, length, out.values.data() + out.ptr[n]);
    }
    return out;
}

}  // namespace

template <class T, class P>
Footprint SellFormat::inspect(CsrView<T, P> a, const Features& features, const Params& params) {
    const int c = get(params, "c"), sigma = get(params, "s"), bits = get(params, "x");
    Footprint f;
    if (bits == 16 && some_row_too_wide(a)) {
        f.illegal = kTooWide;
        f.too_wide = 1;
        return f;
    }
    const Slices s = cut_slices(a.row_ptr, a.rows, c, sigma);
    const std::uint64_t stored = static_cast<std::uint64_t>(s.stored());
    f.storage_bytes = stored * (sizeof(T) + bits / 8) + s.slice_ptr.bytes() +
                      (s.sorted ? s.order.bytes() : 0) +
                      (bits == 16 ? s.count * sizeof(index_t) : 0) +
                      LongRows<T>::bytes_of(s.beside.rows, s.beside.entries);
    f.moved_bytes = f.storage_bytes;
    if (bits == 16 && !slices_span_16_bits(a, s, c, features.columns_sorted)) {
        f.illegal = kTooWide;
        // Larger slices may have more rows beside them.
        f.too_wide = features.row_max < LongRowRule(a.nnz()).least() ? c : 0;
    }
    return f;
}

template <class T, class P>
std::unique_ptr<Storage> SellFormat::convert(CsrView<T, P> a, const Params& params, int threads) {
    const int c = get(params, "c"), sigma = get(params, "s"), bits = get(params, "x");
    Slices s = cut_slices(a.row_ptr, a.rows, c, sigma);
    auto out = std::make_unique<SellStorage<T>>();
    out->rows = a.rows;
    out->c = c;
    out->index_bits = bits;
    const int team = resolve_threads(threads), chunk = chunk_of(s.count, team, 64);
    const std::size_t stored = static_cast<std::size_t>(s.stored());
    if (drops_values(a, s, c, team)) {
        const auto slices = static_cast<std::size_t>(s.count);
        out->one = typename SellStorage<T>::One{a.values[0], Buffer<index_t>(slices),
                                                Buffer<T>(slices * static_cast<std::size_t>(c))};
    } else {
        out->values = Buffer<T>(stored);
    }
    if (bits == 16) {
        out->base = Buffer<index_t>(static_cast<std::size_t>(s.count));
        out->offset = Buffer<std::uint16_t>(stored);
    } else {
        out->column = Buffer<index_t>(stored);
    }
    std::atomic<bool> too_wide{false};
#pragma omp parallel for schedule(dynamic, chunk) num_threads(team)
    for (index_t slice = 0; slice < s.count; ++slice) {
        if (out->one) note_lengths(a, s, c, slice, *out->one);
        if (bits == 16) {
            index_t base = 0;
            if (a.cols > kSpan16) {
                const auto [low, high] = column_span(a, s, c, slice);
                if (high - low >= kSpan16) too_wide = true;
                base = low;
            }
            out->base[slice] = base;
            fill_slice(a, s, c, slice, base, out->values.data(), out->offset.data());
        } else {
            fill_slice(a, s, c, slice, index_t{0}, out->values.data(), out->column.data());
        }
    }
    out->beside = rows_beside(a, s, c);
    // There may be other threads than when inspect() looked.
    if (too_wide) throw Error(kTooWide);
    out->slice_ptr = std::move(s.slice_ptr);
    if (s.sorted) out->order = std::move(s.order);
    return out;
}

SPTUNE_INSTANTIATE_FORMAT(SellFormat)

}  // namespace sptune
