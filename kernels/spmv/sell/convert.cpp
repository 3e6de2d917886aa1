#include "kernels/instantiate.hpp"
#include "kernels/parallel.hpp"
#include "kernels/spmv/padding.hpp"
#include "kernels/spmv/row_order.hpp"
#include "kernels/spmv/sell/format.hpp"
#include "matrix/error.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace sptune {

namespace {

constexpr index_t kSpan16 = 1 << 16;

/// Where the slices begin, and in which order the rows are stored.
struct Slices {
    Buffer<index_t> order;
    bool sorted = false;  ///< or every row has its own place
    Buffer<std::int64_t> slice_ptr;
    index_t count = 0;

    std::int64_t stored() const { return slice_ptr[count]; }
};

/// Slices of one window are spread over its rows. Where two threads shared a window they would
/// write to the same lines of y all the time, and take up to three times as long: windows end where
/// shares of the rows do. Always of all threads, so that inspecting and converting see the same
/// slices.
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
#pragma omp parallel for schedule(static) num_threads(shares)
    for (index_t slice = 0; slice < s.count; ++slice) {
        const std::int64_t first = std::int64_t{slice} * c;
        const std::int64_t last = std::min<std::int64_t>(first + c, rows);
        std::int64_t longest = 0;
        for (std::int64_t k = first; k < last; ++k) {
            const index_t i = s.order[k];
            longest = std::max<std::int64_t>(longest, row_ptr[i + 1] - row_ptr[i]);
        }
        s.slice_ptr[slice + 1] = longest * c;
    }
    std::partial_sum(s.slice_ptr.begin(), s.slice_ptr.end(), s.slice_ptr.begin());
    return s;
}

/// Stored entries of slices of rows in their own order.
template <class P>
std::int64_t stored_unsorted(const P* row_ptr, index_t rows, int c) {
    std::int64_t stored = 0;
#pragma omp parallel for schedule(static) reduction(+ : stored)
    for (std::int64_t first = 0; first < rows; first += c) {
        std::int64_t longest = 0;
        for (std::int64_t i = first; i < std::min<std::int64_t>(first + c, rows); ++i)
            longest = std::max<std::int64_t>(longest, row_ptr[i + 1] - row_ptr[i]);
        stored += longest * c;
    }
    return stored;
}

/// Unsorted where that is faster: a row that is not stored in its own place takes as long as
/// kPlaceCost entries more, for its place has to be read and its sum to be written alone.
template <class P>
Slices cut_slices(const P* row_ptr, index_t rows, int c, int sigma) {
    constexpr double kPlaceCost = 0.6;  // 0.4 to 1 on an x86 with AVX-512
    Slices s = cut_windows(row_ptr, rows, c, sigma);
    if (sigma == 1) return s;
    const auto saved = static_cast<double>(stored_unsorted(row_ptr, rows, c) - s.stored());
    return saved < kPlaceCost * rows ? cut_windows(row_ptr, rows, c, 1) : std::move(s);
}

constexpr char kTooWide[] = "a slice spans 65536 columns or more";

/// Smallest and largest column of a slice; {0, 0} for an empty one. Of rows whose columns are known
/// to be `sorted` only both ends are looked at.
template <class T, class P>
std::pair<index_t, index_t> column_span(CsrView<T, P> a, const Slices& s, int c, index_t slice,
                                        bool sorted = false) {
    index_t low = std::numeric_limits<index_t>::max(), high = 0;
    const std::int64_t first = std::int64_t{slice} * c;
    for (std::int64_t k = first; k < std::min<std::int64_t>(first + c, a.rows); ++k) {
        const std::int64_t begin = a.row_ptr[s.order[k]], end = a.row_ptr[s.order[k] + 1];
        const std::int64_t step = sorted ? std::max<std::int64_t>(end - begin - 1, 1) : 1;
        for (std::int64_t e = begin; e < end; e += step) {
            low = std::min(low, a.col_idx[e]);
            high = std::max(high, a.col_idx[e]);
        }
    }
    return {std::min(low, high), high};
}

/// Whether some row alone spans too much, whatever slice it comes to. By its first and its last
/// entry, which lie furthest apart where columns are sorted: far less to look at than all slices.
template <class T, class P>
bool some_row_too_wide(CsrView<T, P> a) {
    if (a.cols <= kSpan16) return false;
    constexpr index_t kChunk = 4096;
    std::atomic<bool> found{false};
#pragma omp parallel for schedule(dynamic, 1)
    for (index_t first = 0; first < a.rows; first += kChunk) {
        if (found.load(std::memory_order_relaxed)) continue;
        bool wide = false;
        for (index_t i = first; i < std::min(a.rows - first, kChunk) + first; ++i) {
            const P begin = a.row_ptr[i], end = a.row_ptr[i + 1];
            wide |= begin < end && std::abs(a.col_idx[end - 1] - a.col_idx[begin]) >= kSpan16;
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
    const std::int64_t begin = s.slice_ptr[slice];
    const std::int64_t width = (s.slice_ptr[slice + 1] - begin) / c;
    for (int lane = 0; lane < c; ++lane) {
        const std::int64_t k = std::int64_t{slice} * c + lane;
        fill_padded_row(a, k < a.rows ? s.order[k] : std::int64_t{a.rows}, width, base, values,
                        column, [&](std::int64_t j) { return begin + lane + j * c; });
    }
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
                      (bits == 16 ? s.count * sizeof(index_t) : 0);
    f.moved_bytes = f.storage_bytes;
    if (bits == 16 && !slices_span_16_bits(a, s, c, features.columns_sorted)) {
        f.illegal = kTooWide;
        f.too_wide = c;
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
    const std::size_t stored = static_cast<std::size_t>(s.stored());
    out->values = Buffer<T>(stored);
    if (bits == 16) {
        out->base = Buffer<index_t>(static_cast<std::size_t>(s.count));
        out->offset = Buffer<std::uint16_t>(stored);
    } else {
        out->column = Buffer<index_t>(stored);
    }
    std::atomic<bool> too_wide{false};
    const int team = resolve_threads(threads), chunk = chunk_of(s.count, team, 64);
#pragma omp parallel for schedule(dynamic, chunk) num_threads(team)
    for (index_t slice = 0; slice < s.count; ++slice) {
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
    // There may be other threads than when inspect() looked.
    if (too_wide) throw Error(kTooWide);
    out->slice_ptr = std::move(s.slice_ptr);
    if (s.sorted) out->order = std::move(s.order);
    return out;
}

SPTUNE_INSTANTIATE_FORMAT(SellFormat)

}  // namespace sptune
