#include "features/diagonals.hpp"

#include "features/slot_table.hpp"

#include <algorithm>
#include <cstdlib>
#include <functional>

namespace sptune {
namespace {

/// Whether `n` sampled entries occupy at least 60 % of what the sample holds of diagonal d.
bool dense(std::int64_t n, std::int64_t d, const RowSample& sample, const Features& f) {
    const std::int64_t first = std::max<std::int64_t>(0, -d), last = std::min(f.rows, f.cols - d);
    // Most are met once or twice, which is too little for the one window they cross for sure.
    const RowWindow& w = d >= 0 ? sample.windows().front() : sample.windows().back();
    const bool crossed = first <= w.first && w.last <= last;
    if (crossed && static_cast<double>(n) < 0.6 * static_cast<double>(w.last - w.first))
        return false;
    return static_cast<double>(n) >= 0.6 * static_cast<double>(sample.rows_in(first, last));
}

}  // namespace

void describe_diagonals(const WholePass& pass, Features& f) {
    f.diagonals = pass.diagonals;
    f.bandwidth_max = std::max(std::abs(pass.lowest_diagonal), std::abs(pass.highest_diagonal));
    const auto nnz = static_cast<double>(f.nnz);
    f.bandwidth_mean = static_cast<double>(pass.distance) / nnz;
    f.profile = pass.profile;
    f.dia_fill = nnz / (static_cast<double>(f.diagonals) * static_cast<double>(f.rows));
}

template <class P>
void sample_diagonals(const P* row_ptr, const index_t* col_idx, const RowSample& sample,
                      Features& f) {
    // Of a row as long as that, entries at equal strides stand for the rest.
    const std::int64_t row_limit = sample.everything() ? f.nnz : 4096;
    thread_local SlotTable slots;
    thread_local std::vector<std::uint32_t> counts;
    std::int64_t entries = 0;
    for (const RowWindow& w : sample.windows())
        for (std::int64_t i = w.first; i < w.last; ++i)
            entries += std::min<std::int64_t>(row_ptr[i + 1] - row_ptr[i], row_limit + 1);
    slots.reset(static_cast<std::size_t>(entries));
    counts.assign(static_cast<std::size_t>(entries), 0);
    for (const RowWindow& w : sample.windows())
        for (std::int64_t i = w.first; i < w.last; ++i) {
            const std::int64_t stride = 1 + (row_ptr[i + 1] - row_ptr[i]) / (row_limit + 1);
            for (std::int64_t k = row_ptr[i]; k < row_ptr[i + 1]; k += stride)
                counts[slots[static_cast<std::uint32_t>(col_idx[k] - i + f.rows - 1)]] +=
                    static_cast<std::uint32_t>(stride);
        }
    if (slots.keys().empty()) return;

    counts.resize(slots.keys().size());
    double total = 0, on_dense = 0;
    for (std::size_t s = 0; s < counts.size(); ++s) {
        const std::int64_t d = std::int64_t{slots.keys()[s]} - (f.rows - 1);
        if (dense(counts[s], d, sample, f)) {
            ++f.dense_diagonals;
            on_dense += counts[s];
        }
        total += counts[s];
    }
    f.dense_diagonal_share = on_dense / total;
    const std::size_t kept = std::min<std::size_t>(64, counts.size());
    std::partial_sort(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(kept),
                      counts.end(), std::greater<>());
    double top = 0;
    for (std::size_t k = 0, rank = 0; rank < f.top_diagonal_share.size(); ++rank) {
        for (; k < std::min(kept, std::size_t{1} << 2 * rank); ++k) top += counts[k];
        f.top_diagonal_share[rank] = top / total;
    }
}

template void sample_diagonals(const std::int32_t*, const index_t*, const RowSample&, Features&);
template void sample_diagonals(const std::int64_t*, const index_t*, const RowSample&, Features&);

}  // namespace sptune
