#include "kernels/instantiate.hpp"
#include "kernels/parallel.hpp"
#include "kernels/spmv/dia/format.hpp"

#include <algorithm>

namespace sptune {

namespace {

/// Which diagonals are kept, and how many entries lie on them.
struct Choice {
    std::vector<index_t> diagonal;
    std::int64_t on = 0;
};

template <class T, class P>
Choice choose(CsrView<T, P> a, int percent) {
    std::vector<std::int64_t> count(static_cast<std::size_t>(a.rows) + a.cols, 0);
    for (index_t i = 0; i < a.rows; ++i)
        for (P k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
            ++count[static_cast<std::size_t>(a.col_idx[k]) + a.rows - 1 - i];
    Choice chosen;
    for (std::size_t d = 0; d < count.size(); ++d) {
        if (!count[d]) continue;
        const std::int64_t offset = static_cast<std::int64_t>(d) - (a.rows - 1);
        const std::int64_t length =
            std::min<std::int64_t>(a.rows, a.cols - offset) - std::max<std::int64_t>(0, -offset);
        if (percent != kAll && count[d] * 100 < length * percent) continue;
        chosen.diagonal.push_back(static_cast<index_t>(offset));
        chosen.on += count[d];
    }
    return chosen;
}

std::int64_t tiles_of(index_t rows) {
    return (std::int64_t{rows} + kDiaTile - 1) / kDiaTile;
}

}  // namespace

template <class T, class P>
Footprint DiaFormat::inspect(CsrView<T, P> a, const Features& features, const Params& params) {
    const int percent = get(params, "f");
    const std::uint64_t padded_rows = static_cast<std::uint64_t>(tiles_of(a.rows)) * kDiaTile;
    Footprint f;
    if (percent == kAll) {
        // One too many that an estimate does not know of would take as much memory as all rows.
        const auto diagonals = features.passed_share < 1
                                   ? choose(a, kAll).diagonal.size()
                                   : static_cast<std::uint64_t>(features.diagonals);
        f.storage_bytes = diagonals * padded_rows * sizeof(T);
        f.moved_bytes = f.storage_bytes;
        return f;
    }
    const Choice chosen = choose(a, percent);
    const std::uint64_t rest = static_cast<std::uint64_t>(a.nnz() - chosen.on);
    f.storage_bytes = chosen.diagonal.size() * padded_rows * sizeof(T) +
                      rest * (sizeof(T) + sizeof(index_t)) +
                      (static_cast<std::uint64_t>(a.rows) + 1) * sizeof(std::int64_t);
    f.moved_bytes = f.storage_bytes;
    if (chosen.on == 0)
        f.illegal = "no diagonal is " + std::to_string(percent) + " % occupied";
    else if (rest == 0)
        f.illegal = "every entry lies on such a diagonal: the same as f" + to_string({{"", kAll}});
    return f;
}

template <class T, class P>
std::unique_ptr<Storage> DiaFormat::convert(CsrView<T, P> a, const Params& params, int threads) {
    Choice chosen = choose(a, get(params, "f"));
    auto s = std::make_unique<DiaStorage<T>>();
    s->rows = a.rows;
    s->cols = a.cols;
    const std::int64_t width = static_cast<std::int64_t>(chosen.diagonal.size());
    s->values = Buffer<T>(static_cast<std::size_t>(tiles_of(a.rows) * kDiaTile * width));
    std::vector<index_t> slot(static_cast<std::size_t>(a.rows) + a.cols, -1);
    for (std::size_t d = 0; d < chosen.diagonal.size(); ++d)
        slot[static_cast<std::size_t>(std::int64_t{chosen.diagonal[d]} + a.rows - 1)] =
            static_cast<index_t>(d);
    const auto slot_of = [&](index_t i, index_t j) {
        return slot[static_cast<std::size_t>(j) + a.rows - 1 - i];
    };
    const bool has_rest = chosen.on < a.nnz();
    if (has_rest) {
        s->rest_ptr = Buffer<std::int64_t>(static_cast<std::size_t>(a.rows) + 1);
        s->rest_ptr[0] = 0;
        for (index_t i = 0; i < a.rows; ++i) {
            std::int64_t off = 0;
            for (P k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) off += slot_of(i, a.col_idx[k]) < 0;
            s->rest_ptr[i + 1] = s->rest_ptr[i] + off;
        }
        s->rest_column = Buffer<index_t>(static_cast<std::size_t>(s->rest_ptr[a.rows]));
        s->rest_values = Buffer<T>(s->rest_column.size());
    }
#pragma omp parallel for schedule(static) num_threads(resolve_threads(threads))
    for (std::int64_t tile = 0; tile < tiles_of(a.rows); ++tile) {
        T* values = s->values.data() + tile * kDiaTile * width;
        std::fill_n(values, kDiaTile * width, T{0});
        const index_t first = static_cast<index_t>(tile * kDiaTile);
        for (index_t i = first; i < std::min<std::int64_t>(a.rows, std::int64_t{first} + kDiaTile);
             ++i) {
            std::int64_t rest = has_rest ? s->rest_ptr[i] : 0;
            for (P k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
                const index_t d = slot_of(i, a.col_idx[k]);
                if (d >= 0) {
                    values[std::int64_t{d} * kDiaTile + i - first] += a.values[k];
                } else {
                    s->rest_column[rest] = a.col_idx[k];
                    s->rest_values[rest++] = a.values[k];
                }
            }
        }
    }
    s->diagonal = std::move(chosen.diagonal);
    return s;
}

SPTUNE_INSTANTIATE_FORMAT(DiaFormat)

}  // namespace sptune
