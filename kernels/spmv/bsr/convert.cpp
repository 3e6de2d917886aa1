#include "kernels/instantiate.hpp"
#include "kernels/parallel.hpp"
#include "kernels/spmv/bsr/format.hpp"

#include <algorithm>
#include <array>

namespace sptune {

namespace {

constexpr int kMaxBlockRows = 16;

/// Visits the blocks of block row `b`: begin(first column), then entry(row in block, column in
/// block, position in A) for each of its entries. Returns false when columns are not sorted.
template <class T, class P, class Begin, class Entry>
bool visit_blocks(CsrView<T, P> a, index_t b, int r, int c, Begin begin, Entry entry) {
    std::array<P, kMaxBlockRows> at{}, end{};
    const index_t first = b * r;
    const int height = static_cast<int>(std::min<std::int64_t>(r, std::int64_t{a.rows} - first));
    for (int i = 0; i < height; ++i) {
        at[i] = a.row_ptr[first + i];
        end[i] = a.row_ptr[first + i + 1];
    }
    index_t covered = -1;
    while (true) {
        index_t low = a.cols;
        for (int i = 0; i < height; ++i)
            if (at[i] < end[i]) low = std::min(low, a.col_idx[at[i]]);
        if (low == a.cols) return true;
        if (low <= covered) return false;
        // The last block must not reach beyond the columns: x is read for all of them.
        const index_t start = std::min(low, a.cols - c);
        begin(start);
        for (int i = 0; i < height; ++i)
            for (; at[i] < end[i] && a.col_idx[at[i]] - start < c; ++at[i]) {
                if (a.col_idx[at[i]] < start) return false;
                entry(i, static_cast<int>(a.col_idx[at[i]] - start), at[i]);
            }
        covered = start + c - 1;
    }
}

/// Blocks of each block row, summed up; empty when the columns are not sorted.
template <class T, class P>
Buffer<std::int64_t> count_blocks(CsrView<T, P> a, int r, int c, int threads) {
    const index_t block_rows = static_cast<index_t>((std::int64_t{a.rows} + r - 1) / r);
    Buffer<std::int64_t> ptr(static_cast<std::size_t>(block_rows) + 1);
    bool sorted = true;
#pragma omp parallel for schedule(dynamic, 256) num_threads(resolve_threads(threads)) reduction(&& : sorted)
    for (index_t b = 0; b < block_rows; ++b) {
        std::int64_t blocks = 0;
        sorted = visit_blocks(
                     a, b, r, c, [&](index_t) { ++blocks; }, [](int, int, P) {}) &&
                 sorted;
        ptr[b + 1] = blocks;
    }
    if (!sorted) return {};
    ptr[0] = 0;
    for (index_t b = 0; b < block_rows; ++b) ptr[b + 1] += ptr[b];
    return ptr;
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
    const Buffer<std::int64_t> ptr = count_blocks(a, r, c, 0);
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
    auto s = std::make_unique<BsrStorage<T>>();
    s->rows = a.rows;
    s->block_ptr = count_blocks(a, r, c, threads);
    if (s->block_ptr.empty()) throw Error("BSR needs sorted columns");
    const std::size_t blocks = static_cast<std::size_t>(s->block_ptr[s->block_ptr.size() - 1]);
    s->column = Buffer<index_t>(blocks);
    s->values = Buffer<T>(blocks * r * c);
#pragma omp parallel for schedule(dynamic, 256) num_threads(resolve_threads(threads))
    for (index_t b = 0; b < s->block_rows(); ++b) {
        std::int64_t k = s->block_ptr[b] - 1;
        visit_blocks(
            a, b, r, c,
            [&](index_t start) {
                s->column[++k] = start;
                std::fill_n(s->values.data() + k * r * c, r * c, T{0});
            },
            // A column may be there twice.
            [&](int i, int j, P from) { s->values[(k * c + j) * r + i] += a.values[from]; });
    }
    return s;
}

SPTUNE_INSTANTIATE_FORMAT(BsrFormat)

}  // namespace sptune
