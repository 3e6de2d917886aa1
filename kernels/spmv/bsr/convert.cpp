#include "kernels/instantiate.hpp"
#include "kernels/parallel.hpp"
#include "kernels/spmv/bsr/format.hpp"
#include "kernels/with_constant.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace sptune {

namespace {

/// Beyond any column.
constexpr index_t kNone = std::numeric_limits<index_t>::max();

/// Visits the blocks of block row `b`: begin(first column), then entry(column in block, position in
/// A) for each of its entries. Returns false when columns are not sorted.
template <int R, class T, class P, class Begin, class Entry>
bool visit_blocks(CsrView<T, P> a, index_t b, int c, Begin begin, Entry entry) {
    std::array<P, R> at{}, end{};
    std::array<index_t, R> next;  // the column that each row has come to
    const index_t first = b * R;
    for (int i = 0; i < R; ++i) {
        if (i < a.rows - first) at[i] = a.row_ptr[first + i], end[i] = a.row_ptr[first + i + 1];
        next[i] = at[i] < end[i] ? a.col_idx[at[i]] : kNone;
    }
    index_t covered = -1;
    while (true) {
        index_t low = next[0];
        for (int i = 1; i < R; ++i) low = std::min(low, next[i]);
        if (low >= a.cols) return low == kNone;
        if (low <= covered) return false;
        // The last block must not reach beyond the columns: x is read for all of them.
        const index_t start = std::min(low, a.cols - c), last = start + (c - 1);
        begin(start);
        for (int i = 0; i < R; ++i)
            while (next[i] <= last) {
                if (next[i] < start) return false;
                entry(static_cast<std::uint32_t>(next[i] - start), at[i]);
                next[i] = ++at[i] < end[i] ? a.col_idx[at[i]] : kNone;
            }
        covered = last;
    }
}

/// Calls body(std::integral_constant<int, r>).
template <class Body>
auto with_height(int r, Body body) {
    return with_constant<1, 2, 3, 4, 6, 8>(
        r, body, [] { return Error("BSR blocks have 1, 2, 3, 4, 6 or 8 rows"); });
}

/// Where the entries of A go.
struct Places {
    Buffer<std::int64_t> block_ptr;  ///< block rows + 1; empty when the columns are not sorted
    /// For each entry the number of its column among those of the blocks of its block row.
    Buffer<std::uint32_t> column_of;
    /// First column of each block, those of a block row from the place of its first entry on.
    Buffer<index_t> start;
};

/// Sums up what visit(block row) returns: blocks, or -1 when the columns are not sorted.
template <class Visit>
Buffer<std::int64_t> count_blocks(index_t block_rows, int threads, Visit visit) {
    Buffer<std::int64_t> ptr(static_cast<std::size_t>(block_rows) + 1);
    bool sorted = true;
    const int team = resolve_threads(threads), chunk = chunk_of(block_rows, team);
#pragma omp parallel for schedule(dynamic, chunk) num_threads(team) reduction(&& : sorted)
    for (index_t b = 0; b < block_rows; ++b) {
        ptr[b + 1] = visit(b);
        sorted = sorted && ptr[b + 1] >= 0;
    }
    if (!sorted) return {};
    ptr[0] = 0;
    for (index_t b = 0; b < block_rows; ++b) ptr[b + 1] += ptr[b];
    return ptr;
}

index_t block_rows_of(index_t rows, int r) {
    return static_cast<index_t>((std::int64_t{rows} + r - 1) / r);
}

template <class T, class P>
Places places_of(CsrView<T, P> a, int r, int c, int threads) {
    const auto nnz = static_cast<std::size_t>(a.nnz());
    Places p{{}, Buffer<std::uint32_t>(nnz), Buffer<index_t>(nnz)};
    p.block_ptr = with_height(r, [&](auto height) {
        return count_blocks(block_rows_of(a.rows, r), threads, [&](index_t b) {
            index_t* const start = p.start.data() + a.row_ptr[b * r];
            std::int64_t blocks = 0;
            std::uint32_t before = 0;  // columns of the blocks before
            const auto begin = [&](index_t first) {
                before = static_cast<std::uint32_t>(blocks) * static_cast<std::uint32_t>(c);
                start[blocks++] = first;
            };
            const auto entry = [&](std::uint32_t j, P k) { p.column_of[k] = before + j; };
            return visit_blocks<height>(a, b, c, begin, entry) ? blocks : -1;
        });
    });
    return p;
}

}  // namespace

template <class T, class P>
Footprint BsrFormat::inspect(CsrView<T, P> a, const Features&, const Params& params) {
    const int r = get(params, "r"), c = get(params, "c");
    Footprint f;
    if (a.cols < c) {
        f.illegal = "fewer columns than a block has";
        return f;
    }
    const Buffer<std::int64_t> ptr = with_height(r, [&](auto height) {
        return count_blocks(block_rows_of(a.rows, r), 0, [&](index_t b) {
            std::int64_t blocks = 0;
            const auto begin = [&](index_t) { ++blocks; };
            return visit_blocks<height>(a, b, c, begin, [](std::uint32_t, P) {}) ? blocks : -1;
        });
    });
    if (ptr.empty()) {
        f.illegal = "the columns of a row are not sorted";
        return f;
    }
    const std::uint64_t blocks = static_cast<std::uint64_t>(ptr[ptr.size() - 1]);
    f.storage_bytes = blocks * (sizeof(index_t) + sizeof(T) * r * c) + ptr.bytes();
    f.moved_bytes = f.storage_bytes;
    return f;
}

template <class T, class P>
std::unique_ptr<Storage> BsrFormat::convert(CsrView<T, P> a, const Params& params, int threads) {
    const int r = get(params, "r"), c = get(params, "c");
    Places p = places_of(a, r, c, threads);
    if (p.block_ptr.empty()) throw Error("BSR needs sorted columns");
    auto s = std::make_unique<BsrStorage<T>>();
    s->rows = a.rows;
    s->block_ptr = std::move(p.block_ptr);
    const auto blocks = static_cast<std::size_t>(s->block_ptr[s->block_ptr.size() - 1]);
    s->column = Buffer<index_t>(blocks);
    s->values = Buffer<T>(blocks * r * c);
    const int team = resolve_threads(threads), chunk = chunk_of(s->block_rows(), team);
#pragma omp parallel for schedule(dynamic, chunk) num_threads(team)
    for (index_t b = 0; b < s->block_rows(); ++b) {
        const std::int64_t first = s->block_ptr[b], count = s->block_ptr[b + 1] - first;
        std::copy_n(p.start.data() + a.row_ptr[b * r], count, s->column.data() + first);
        T* const values = s->values.data() + first * r * c;
        std::fill_n(values, count * r * c, T{0});
        const index_t last = std::min<index_t>(a.rows - b * r, r) + b * r;
        for (index_t i = b * r; i < last; ++i)
            // A column may be there twice.
            for (P k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
                values[std::size_t{p.column_of[k]} * r + (i - b * r)] += a.values[k];
    }
    return s;
}

SPTUNE_INSTANTIATE_FORMAT(BsrFormat)

}  // namespace sptune
