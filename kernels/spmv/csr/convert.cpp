#include "kernels/instantiate.hpp"
#include "kernels/parallel.hpp"
#include "kernels/spmv/csr/format.hpp"
#include "kernels/spmv/long_rows.hpp"

#include <algorithm>

namespace sptune {

namespace {

constexpr index_t kSpan16 = 1 << 16;

/// The entries of the shortest row that spans too many columns; 0: none does. Ends at one shorter
/// than `short_enough`.
template <class T, class P>
std::int64_t shortest_wide_row(CsrView<T, P> a, std::int64_t short_enough) {
    std::int64_t shortest = 0;
    if (a.cols <= kSpan16) return shortest;
    for (index_t i = 0; i < a.rows; ++i) {
        index_t low = a.cols, high = 0;
        for (P k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
            low = std::min(low, a.col_idx[k]);
            high = std::max(high, a.col_idx[k]);
        }
        if (high - low < kSpan16) continue;
        const std::int64_t length = a.row_ptr[i + 1] - a.row_ptr[i];
        if (shortest == 0 || length < shortest) shortest = length;
        if (length < short_enough) break;
    }
    return shortest;
}

}  // namespace

template <class T, class P>
Footprint CsrFormat::inspect(CsrView<T, P> a, const Features&, const Params& params) {
    const std::uint64_t nnz = static_cast<std::uint64_t>(a.nnz());
    const std::uint64_t rows = static_cast<std::uint64_t>(a.rows);
    Footprint f;
    f.moved_bytes = nnz * sizeof(T) + (rows + 1) * sizeof(P);
    if (get(params, "x") == 32) {
        f.moved_bytes += nnz * sizeof(index_t);
        return f;
    }
    f.storage_bytes = nnz * sizeof(std::uint16_t) + rows * sizeof(index_t);
    f.moved_bytes += f.storage_bytes;
    // A longer one may lie beside its slice.
    const std::int64_t least = LongRowRule(a.nnz()).least();
    if (const std::int64_t length = shortest_wide_row(a, least)) {
        f.illegal = "a row spans 65536 columns or more";
        f.too_wide = length < least ? 1 : 0;
    }
    return f;
}

template <class T, class P>
std::unique_ptr<Storage> CsrFormat::convert(CsrView<T, P> a, const Params& params, int threads) {
    auto s = std::make_unique<CsrStorage<T, P>>();
    s->a = a;
    if (get(params, "x") == 32) return s;
    s->offset = Buffer<std::uint16_t>(static_cast<std::size_t>(a.nnz()));
    s->base = Buffer<index_t>(static_cast<std::size_t>(a.rows));
#pragma omp parallel for schedule(static) num_threads(resolve_threads(threads))
    for (index_t i = 0; i < a.rows; ++i) {
        const P begin = a.row_ptr[i], end = a.row_ptr[i + 1];
        // With few columns every offset counts from column 0: one load less for each row.
        const index_t base = a.cols <= kSpan16 || begin == end
                                 ? 0
                                 : *std::min_element(a.col_idx + begin, a.col_idx + end);
        s->base[i] = base;
        for (P k = begin; k < end; ++k)
            s->offset[k] = static_cast<std::uint16_t>(a.col_idx[k] - base);
    }
    return s;
}

SPTUNE_INSTANTIATE_FORMAT(CsrFormat)

}  // namespace sptune
