// Features of the diagonals d = column - row.
#pragma once

#include "features/sample.hpp"
#include "features/whole_pass.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sptune {

/// Fills diagonals, dia_fill, bandwidth_* and profile of `f` from the whole pass.
void describe_diagonals(const WholePass& pass, Features& f);

/// Whether `n` sampled entries of diagonal d occupy at least 60 % of what the sample holds of it.
/// Works on the GPU, too.
constexpr bool is_dense(std::int64_t n, std::int64_t d, std::int64_t rows, std::int64_t cols,
                        const SampleView& sample) {
    const std::int64_t first = d < 0 ? -d : 0, last = rows < cols - d ? rows : cols - d;
    // Most are met once or twice, which is too little for the one window they cross for sure.
    const RowWindow& w = sample.windows[d >= 0 ? 0 : sample.count - 1];
    const bool crossed = first <= w.first && w.last <= last;
    if (crossed && static_cast<double>(n) < 0.6 * static_cast<double>(w.last - w.first))
        return false;
    return static_cast<double>(n) >= 0.6 * static_cast<double>(sample.rows_in(first, last));
}

/// Of a sampled row longer than this, entries at equal strides stand for the rest.
inline constexpr std::int64_t kDiagonalRow = 1024;
constexpr std::int64_t diagonal_stride(std::int64_t length, std::int64_t row_limit) {
    return 1 + length / (row_limit + 1);
}

/// How many diagonals top_diagonal_share needs to know of.
inline constexpr std::size_t kTopDiagonals = 64;

/// What the sampled entries say of the diagonals, counts in entries.
struct DiagonalCounts {
    std::int64_t dense = 0;     ///< diagonals that are dense
    std::int64_t on_dense = 0;  ///< entries on those
    std::int64_t total = 0;
    std::vector<std::int64_t> top;  ///< entries on the kTopDiagonals fullest, most first
};

/// Counts the sampled rows: every entry of theirs, or, unless `in_full`, of long ones only some.
template <class P>
DiagonalCounts count_diagonals(const P* row_ptr, const index_t* col_idx, std::int64_t rows,
                               std::int64_t cols, const RowSample& sample, bool in_full);

/// Fills dense_diagonals, dense_diagonal_share and top_diagonal_share of `f`.
void describe_sampled_diagonals(const DiagonalCounts& counts, Features& f);

}  // namespace sptune
