#include "features/symmetry.hpp"

#include "features/sample_plan.hpp"

#include <algorithm>

namespace sptune {
namespace {

/// std::lower_bound without a branch to mispredict: the places of mirror images are irregular.
const index_t* first_not_below(const index_t* begin, const index_t* end, index_t row) {
    if (begin == end) return end;
    auto left = end - begin;
    while (left > 1) {
        const auto half = left / 2;
        begin += begin[half - 1] < row ? half : 0;
        left -= half;
    }
    return begin + (*begin < row);
}

}  // namespace

void MirrorCounts::merge(const MirrorCounts& other) {
    entries += other.entries;
    present += other.present;
    equal += other.equal;
}

template <class T, class P>
void count_mirrors(CsrView<T, P> a, RowWindow window, std::int64_t stride, bool sorted,
                   MirrorCounts& out) {
    std::int64_t k = a.row_ptr[window.first];
    for (std::int64_t i = window.first; i < window.last; ++i)
        for (; k < a.row_ptr[i + 1]; k += stride) {
            const index_t row = static_cast<index_t>(i), j = a.col_idx[k];
            if (row == j) continue;
            const index_t* const begin = a.col_idx + a.row_ptr[j];
            const index_t* const end = a.col_idx + a.row_ptr[j + 1];
            if (!sorted && end - begin > kMostUnsorted) continue;
            ++out.entries;
            const index_t* const mirror =
                sorted ? first_not_below(begin, end, row) : std::find(begin, end, row);
            if (mirror == end || *mirror != row) continue;
            ++out.present;
            out.equal += a.values[mirror - a.col_idx] == a.values[k];
        }
}

#define SPTUNE_INSTANTIATE(T, P) \
    template void count_mirrors(CsrView<T, P>, RowWindow, std::int64_t, bool, MirrorCounts&);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune
