#include "kernels/instantiate.hpp"
#include "kernels/parallel.hpp"
#include "kernels/spmv/balance.hpp"
#include "kernels/spmv/csc/format.hpp"

#include <algorithm>

namespace sptune {

namespace {

/// No more than OpenMP offers, whatever number of threads is asked for: who inspects does not know
/// that number, and each band takes a pointer per column.
int bands_of(const Params& params, int threads) {
    return get(params, "w") == kAll ? std::min(resolve_threads(threads), resolve_threads(0)) : 1;
}

}  // namespace

template <class T, class P>
Footprint CscFormat::inspect(CsrView<T, P> a, const Features&, const Params& params) {
    const auto bands = static_cast<std::uint64_t>(bands_of(params, 0));
    Footprint f;
    f.storage_bytes = static_cast<std::uint64_t>(a.nnz()) * (sizeof(T) + sizeof(index_t)) +
                      bands * (static_cast<std::uint64_t>(a.cols) + 1) * sizeof(std::int64_t);
    f.moved_bytes = static_cast<std::uint64_t>(a.nnz()) * (sizeof(T) + sizeof(index_t));
    return f;
}

template <class T, class P>
std::unique_ptr<Storage> CscFormat::convert(CsrView<T, P> a, const Params& params, int threads) {
    const int parts = bands_of(params, threads);
    auto s = std::make_unique<CscStorage<T>>();
    s->cols = a.cols;
    s->bands.resize(parts);
    // Outside of the parallel region, which an exception must not leave.
    for (int part = 0; part < parts; ++part) {
        auto& band = s->bands[part];
        band.first_row = a.rows ? balanced_row(a.row_ptr, a.rows, 1, parts, part) : 0;
        band.last_row = a.rows ? balanced_row(a.row_ptr, a.rows, 1, parts, part + 1) : 0;
        const P entries = a.rows ? a.row_ptr[band.last_row] - a.row_ptr[band.first_row] : P{0};
        band.col_ptr = Buffer<std::int64_t>(static_cast<std::size_t>(a.cols) + 1);
        band.row = Buffer<index_t>(static_cast<std::size_t>(entries));
        band.values = Buffer<T>(static_cast<std::size_t>(entries));
    }
#pragma omp parallel for schedule(static) num_threads(resolve_threads(threads))
    for (int part = 0; part < parts; ++part) {
        auto& band = s->bands[part];
        const P begin = a.rows ? a.row_ptr[band.first_row] : P{0};
        const P end = a.rows ? a.row_ptr[band.last_row] : P{0};
        // Counts, then starts, then each start moves on as its column fills; at the end it stands
        // where the next column begins, so the pointers are shifted back by one.
        std::int64_t* ptr = band.col_ptr.data();
        std::fill_n(ptr, band.col_ptr.size(), 0);
        for (P k = begin; k < end; ++k) ++ptr[a.col_idx[k]];
        std::int64_t sum = 0;
        for (std::int64_t j = 0; j <= a.cols; ++j) {
            const std::int64_t count = ptr[j];
            ptr[j] = sum;
            sum += count;
        }
        for (index_t i = band.first_row; i < band.last_row; ++i)
            for (P k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
                const std::int64_t at = ptr[a.col_idx[k]]++;
                band.row[at] = i;
                band.values[at] = a.values[k];
            }
        for (index_t j = a.cols; j > 0; --j) ptr[j] = ptr[j - 1];
        ptr[0] = 0;
    }
    return s;
}

SPTUNE_INSTANTIATE_FORMAT(CscFormat)

}  // namespace sptune
