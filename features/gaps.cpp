#include "features/gaps.hpp"

#include <algorithm>
#include <span>

namespace sptune {

void GapCounts::merge(const GapCounts& other) {
    gaps += other.gaps;
    rows += other.rows;
}

template <class P>
void count_gaps(const P* row_ptr, const index_t* col_idx, RowWindow window, bool sorted,
                GapCounts& out) {
    for (std::int64_t i = window.first; i < window.last; ++i) {
        const std::span<const index_t> row{col_idx + row_ptr[i], col_idx + row_ptr[i + 1]};
        if (row.size() < 2) continue;
        const auto [least, most] =
            sorted ? std::ranges::minmax_result{row.front(), row.back()} : std::ranges::minmax(row);
        out.gaps += static_cast<double>(most - least) / static_cast<double>(row.size() - 1);
        ++out.rows;
    }
}

void describe_gaps(const GapCounts& counts, Features& f) {
    if (counts.rows > 0) f.column_gap = counts.gaps / counts.rows;
}

template void count_gaps(const std::int32_t*, const index_t*, RowWindow, bool, GapCounts&);
template void count_gaps(const std::int64_t*, const index_t*, RowWindow, bool, GapCounts&);

}  // namespace sptune
