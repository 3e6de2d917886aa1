#include "kernels/instantiate.hpp"
#include "kernels/parallel.hpp"
#include "kernels/spmv/ell/format.hpp"
#include "kernels/spmv/padding.hpp"

namespace sptune {

namespace {

constexpr std::int64_t round_up(std::int64_t n, std::int64_t unit) {
    return (n + unit - 1) / unit * unit;
}

template <class T, class P>
index_t longest_row(CsrView<T, P> a) {
    P longest = 0;
    for (index_t i = 0; i < a.rows; ++i)
        longest = std::max(longest, a.row_ptr[i + 1] - a.row_ptr[i]);
    return static_cast<index_t>(longest);
}

}  // namespace

template <class T, class P>
Footprint EllFormat::inspect(CsrView<T, P> a, const Features&, const Params& params) {
    const std::uint64_t rows = get(params, "o") == 1 ? round_up(a.rows, kEllChunk) : a.rows;
    Footprint f;
    f.storage_bytes = rows * longest_row(a) * (sizeof(T) + sizeof(index_t));
    f.moved_bytes = f.storage_bytes;
    return f;
}

template <class T, class P>
std::unique_ptr<Storage> EllFormat::convert(CsrView<T, P> a, const Params& params, int threads) {
    const bool column_major = get(params, "o") == 1;
    auto s = std::make_unique<EllStorage<T>>();
    s->rows = a.rows;
    s->width = longest_row(a);
    s->pitch = column_major ? round_up(a.rows, kEllChunk) : a.rows;
    s->column = Buffer<index_t>(static_cast<std::size_t>(s->pitch) * s->width);
    s->values = Buffer<T>(s->column.size());
    const std::int64_t row_step = column_major ? 1 : s->width;
    const std::int64_t entry_step = column_major ? s->pitch : 1;
#pragma omp parallel for schedule(static) num_threads(resolve_threads(threads))
    for (std::int64_t i = 0; i < s->pitch; ++i)
        fill_padded_row(a, i, s->width, index_t{0}, s->values.data(), s->column.data(),
                        [&](std::int64_t j) { return i * row_step + j * entry_step; });
    return s;
}

SPTUNE_INSTANTIATE_FORMAT(EllFormat)

}  // namespace sptune
