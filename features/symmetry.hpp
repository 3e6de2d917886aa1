// Does A equal its transpose? Estimated on sampled entries.
#pragma once

#include "features/sample.hpp"
#include "matrix/csr.hpp"

#include <cstdint>

namespace sptune {

/// Counts of off-diagonal entries.
struct MirrorCounts {
    std::int64_t entries = 0;
    std::int64_t present = 0;  ///< (j, i) is stored
    std::int64_t equal = 0;    ///< with the same value
    void merge(const MirrorCounts& other);
};

/// Looks up the mirror image of every `stride`-th entry of the rows of `window`. `sorted`: the
/// columns of every row never decrease, so that they can be searched by halving.
template <class T, class P>
void count_mirrors(CsrView<T, P> matrix, RowWindow window, std::int64_t stride, bool sorted,
                   MirrorCounts& out);

}  // namespace sptune
