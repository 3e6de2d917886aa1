#include "kernels/spgemm/hash/plan.hpp"
#include "kernels/spgemm/hash/split.hpp"
#include "matrix/cuda/check.hpp"
#include "matrix/cuda/device.cuh"
#include "matrix/cuda/grid.hpp"

namespace sptune::cuda::hash {
namespace {

constexpr int kBlock = 256;

template <class P>
__device__ P pieces_of(const P* row_ptr, std::int64_t row, int length) {
    const P entries = row_ptr[row + 1] - row_ptr[row];
    return entries == 0 ? 1 : (entries - 1) / length + 1;
}

template <class P>
__global__ void count_pieces_kernel(index_t rows, const P* row_ptr, int length, P* count) {
    const std::int64_t row = global_thread();
    if (row < rows) count[row] = pieces_of(row_ptr, row, length);
}

/// A thread for every row and for every piece.
template <class T, class P>
__global__ void cut_kernel(index_t rows, const P* row_ptr, P entries, int length, P pieces,
                           const P* first, P* begin, index_t* part, T* one) {
    const std::int64_t i = global_thread();
    if (i < rows) {
        const P count = pieces_of(row_ptr, i, length);
        for (P p = 0; p < count; ++p) begin[first[i] + p] = row_ptr[i] + p * length;
    }
    if (i < pieces) {
        part[i] = static_cast<index_t>(i);
        one[i] = T{1};
    }
    if (i <= pieces && i >= first[rows]) begin[i] = entries;
}

}  // namespace

template <class T, class P>
void cut_rows(index_t rows, const P* row_ptr, std::int64_t entries, int length, std::int64_t pieces,
              P* first, P* begin, index_t* part, T* one, void* scratch, std::size_t scratch_bytes,
              void* stream) {
    const auto s = static_cast<cudaStream_t>(stream);
    count_pieces_kernel<<<blocks_for(rows, kBlock), kBlock, 0, s>>>(rows, row_ptr, length, first);
    SPTUNE_CUDA_LAUNCHED("count_pieces_kernel");
    scan_lengths(first, rows, scratch, scratch_bytes, stream);
    cut_kernel<<<blocks_for(pieces + 1, kBlock), kBlock, 0, s>>>(
        rows, row_ptr, static_cast<P>(entries), length, static_cast<P>(pieces), first, begin, part,
        one);
    SPTUNE_CUDA_LAUNCHED("cut_kernel");
}

#define SPTUNE_INSTANTIATE(T, P)                                                                 \
    template void cut_rows(index_t, const P*, std::int64_t, int, std::int64_t, P*, P*, index_t*, \
                           T*, void*, std::size_t, void*);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune::cuda::hash
