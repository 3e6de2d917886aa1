#include "kernels/instantiate.hpp"
#include "kernels/spmv/padding.hpp"
#include "kernels/spmv/pjds/format.hpp"
#include "kernels/spmv/row_order.hpp"

namespace sptune {

namespace {

struct Shape {
    Buffer<index_t> order, length;
    Buffer<std::int64_t> diagonal;  ///< one more than there are diagonals
};

template <class T, class P>
Shape shape_of(CsrView<T, P> a, int c) {
    Shape s;
    s.order = order_rows(a.row_ptr, kAll, {0, a.rows});
    const std::size_t chunks = static_cast<std::size_t>((std::int64_t{a.rows} + c - 1) / c);
    s.length = Buffer<index_t>(chunks);
    for (std::size_t k = 0; k < chunks; ++k) {
        const index_t i = s.order[k * c];  // the longest of its chunk
        s.length[k] = static_cast<index_t>(a.row_ptr[i + 1] - a.row_ptr[i]);
    }
    const std::size_t diagonals = chunks ? static_cast<std::size_t>(s.length[0]) : 0;
    s.diagonal = Buffer<std::int64_t>(diagonals + 1);
    s.diagonal[0] = 0;
    std::size_t reaching = chunks;  // chunks long enough for diagonal j
    for (std::size_t j = 0; j < diagonals; ++j) {
        while (reaching && static_cast<std::size_t>(s.length[reaching - 1]) <= j) --reaching;
        s.diagonal[j + 1] = s.diagonal[j] + static_cast<std::int64_t>(reaching) * c;
    }
    return s;
}

}  // namespace

template <class T, class P>
Footprint PjdsFormat::inspect(CsrView<T, P> a, const Features&, const Params& params) {
    const Shape s = shape_of(a, get(params, "c"));
    const std::uint64_t stored = static_cast<std::uint64_t>(s.diagonal[s.diagonal.size() - 1]);
    Footprint f;
    f.storage_bytes = stored * (sizeof(T) + sizeof(index_t)) + s.order.bytes() + s.length.bytes() +
                      s.diagonal.bytes();
    f.moved_bytes = f.storage_bytes;
    return f;
}

template <class T, class P>
std::unique_ptr<Storage> PjdsFormat::convert(CsrView<T, P> a, const Params& params, int threads) {
    const int c = get(params, "c");
    Shape shape = shape_of(a, c);
    auto s = std::make_unique<PjdsStorage<T>>();
    s->rows = a.rows;
    s->column =
        Buffer<index_t>(static_cast<std::size_t>(shape.diagonal[shape.diagonal.size() - 1]));
    s->values = Buffer<T>(s->column.size());
    const std::int64_t chunks = static_cast<std::int64_t>(shape.length.size());
#pragma omp parallel for schedule(dynamic, 64) num_threads(resolve_threads(threads))
    for (std::int64_t k = 0; k < chunks * c; ++k)
        fill_padded_row(a, k < a.rows ? shape.order[k] : std::int64_t{a.rows}, shape.length[k / c],
                        index_t{0}, s->values.data(), s->column.data(),
                        [&](std::int64_t j) { return shape.diagonal[j] + k; });
    s->order = std::move(shape.order);
    s->length = std::move(shape.length);
    s->diagonal = std::move(shape.diagonal);
    return s;
}

SPTUNE_INSTANTIATE_FORMAT(PjdsFormat)

}  // namespace sptune
