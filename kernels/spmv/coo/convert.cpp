#include "kernels/instantiate.hpp"
#include "kernels/parallel.hpp"
#include "kernels/spmv/coo/format.hpp"

#include <algorithm>

namespace sptune {

template <class T, class P>
Footprint CooFormat::inspect(CsrView<T, P> a, const Features&, const Params&) {
    Footprint f;
    f.storage_bytes = static_cast<std::uint64_t>(a.nnz()) * (sizeof(T) + 2 * sizeof(index_t));
    f.moved_bytes = f.storage_bytes;
    return f;
}

template <class T, class P>
std::unique_ptr<Storage> CooFormat::convert(CsrView<T, P> a, const Params&, int threads) {
    auto s = std::make_unique<CooStorage<T>>();
    const std::size_t nnz = static_cast<std::size_t>(a.nnz());
    s->rows = a.rows;
    s->row = Buffer<index_t>(nnz);
    s->column = Buffer<index_t>(nnz);
    s->values = Buffer<T>(nnz);
    const int team = resolve_threads(threads), chunk = chunk_of(a.rows, team, 1024);
#pragma omp parallel for schedule(dynamic, chunk) num_threads(team)
    for (index_t i = 0; i < a.rows; ++i) {
        const P begin = a.row_ptr[i], end = a.row_ptr[i + 1];
        std::fill(s->row.data() + begin, s->row.data() + end, i);
        std::copy(a.col_idx + begin, a.col_idx + end, s->column.data() + begin);
        std::copy(a.values + begin, a.values + end, s->values.data() + begin);
    }
    return s;
}

SPTUNE_INSTANTIATE_FORMAT(CooFormat)

}  // namespace sptune
