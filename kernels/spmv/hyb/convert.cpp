#include "kernels/instantiate.hpp"
#include "kernels/parallel.hpp"
#include "kernels/spmv/hyb/format.hpp"
#include "kernels/spmv/padding.hpp"

#include <algorithm>
#include <vector>

namespace sptune {

namespace {

/// Shortest width that `percent` of the rows fit into.
template <class T, class P>
index_t quantile_width(CsrView<T, P> a, int percent) {
    if (a.rows == 0) return 0;
    std::vector<index_t> length(a.rows);
    for (index_t i = 0; i < a.rows; ++i)
        length[i] = static_cast<index_t>(a.row_ptr[i + 1] - a.row_ptr[i]);
    const auto at = length.begin() + (std::int64_t{a.rows} - 1) * percent / 100;
    std::nth_element(length.begin(), at, length.end());
    return *at;
}

template <class T, class P>
std::int64_t rest_of_row(CsrView<T, P> a, index_t i, index_t width) {
    return std::max<std::int64_t>(a.row_ptr[i + 1] - a.row_ptr[i] - width, 0);
}

std::int64_t pitch_of(index_t rows) {
    return (std::int64_t{rows} + kHybChunk - 1) / kHybChunk * kHybChunk;
}

}  // namespace

template <class T, class P>
Footprint HybFormat::inspect(CsrView<T, P> a, const Features&, const Params& params) {
    const index_t width = quantile_width(a, get(params, "q"));
    std::uint64_t rest = 0;
    for (index_t i = 0; i < a.rows; ++i) rest += rest_of_row(a, i, width);
    Footprint f;
    f.storage_bytes =
        static_cast<std::uint64_t>(pitch_of(a.rows)) * width * (sizeof(T) + sizeof(index_t)) +
        rest * (sizeof(T) + 2 * sizeof(index_t));
    f.moved_bytes = f.storage_bytes;
    if (width == 0)
        f.illegal = "too many empty rows: nothing would go into the ELL part";
    else if (rest == 0)
        f.illegal = "no row is longer than the ELL part: the same as ell";
    return f;
}

template <class T, class P>
std::unique_ptr<Storage> HybFormat::convert(CsrView<T, P> a, const Params& params, int threads) {
    auto s = std::make_unique<HybStorage<T>>();
    s->rows = a.rows;
    s->width = quantile_width(a, get(params, "q"));
    s->pitch = pitch_of(a.rows);
    s->column = Buffer<index_t>(static_cast<std::size_t>(s->pitch) * s->width);
    s->values = Buffer<T>(s->column.size());
    std::vector<std::int64_t> rest(static_cast<std::size_t>(a.rows) + 1, 0);
    for (index_t i = 0; i < a.rows; ++i) rest[i + 1] = rest[i] + rest_of_row(a, i, s->width);
    s->rest_row = Buffer<index_t>(static_cast<std::size_t>(rest[a.rows]));
    s->rest_column = Buffer<index_t>(s->rest_row.size());
    s->rest_values = Buffer<T>(s->rest_row.size());
#pragma omp parallel for schedule(static) num_threads(resolve_threads(threads))
    for (std::int64_t i = 0; i < s->pitch; ++i) {
        fill_padded_row(a, i, s->width, index_t{0}, s->values.data(), s->column.data(),
                        [&](std::int64_t j) { return i + j * s->pitch; });
        if (i >= a.rows) continue;
        P from = a.row_ptr[i] + s->width;
        for (std::int64_t k = rest[i]; k < rest[i + 1]; ++k, ++from) {
            s->rest_row[k] = static_cast<index_t>(i);
            s->rest_column[k] = a.col_idx[from];
            s->rest_values[k] = a.values[from];
        }
    }
    return s;
}

SPTUNE_INSTANTIATE_FORMAT(HybFormat)

}  // namespace sptune
