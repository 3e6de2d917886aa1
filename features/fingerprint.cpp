#include "features/fingerprint.hpp"

#include "features/features.hpp"
#include "features/wide_loops.hpp"
#include "matrix/parallel.hpp"

#include <algorithm>

namespace sptune {

template <class T, class P>
std::uint64_t fingerprint(CsrView<T, P> a, int threads) {
    constexpr std::int64_t kChunk = 1 << 16;
    const std::int64_t nnz = a.nnz(), pointers = a.rows ? std::int64_t{a.rows} + 1 : 0;
    std::uint64_t sum = 0;
    threads = team_size(threads, static_cast<std::uint64_t>(nnz + pointers));
#pragma omp parallel num_threads(threads) reduction(+ : sum)
    {
#pragma omp for nowait
        for (std::int64_t k = 0; k < nnz; k += kChunk)
            sum += hash_columns(a.col_idx, k, std::min(nnz, k + kChunk));
#pragma omp for
        for (std::int64_t i = 0; i < pointers; i += kChunk)
            sum += hash_pointers(a.row_ptr, i, std::min(pointers, i + kChunk));
    }
    return finish_fingerprint(sum, a.rows, a.cols, nnz);
}

#define SPTUNE_INSTANTIATE(T, P) template std::uint64_t fingerprint(CsrView<T, P>, int);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune
