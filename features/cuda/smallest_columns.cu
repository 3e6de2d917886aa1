#include "features/cuda/entry_tiles.cuh"
#include "features/cuda/smallest_columns.hpp"
#include "matrix/cuda/check.hpp"
#include "matrix/cuda/grid.hpp"

#include <cstddef>

namespace sptune::cuda {
namespace {

template <class P>
__global__ void __launch_bounds__(kTileThreads)
    find_smallest(const P* row_ptr, const index_t* col_idx, index_t rows, std::int64_t nnz,
                  unsigned* smallest) {
    __shared__ EntryTile::Shared memory;
    const EntryTile tile(row_ptr, rows, nnz, blockIdx.x,
                         EntryTile::row_of(row_ptr, rows, blockIdx.x, memory), memory);
    if (tile.entries == 0) return;
    tile.for_each(col_idx, [&](int, std::int64_t, index_t row, index_t found, bool, index_t) {
        const auto column = static_cast<unsigned>(found);
        if (column < __ldcg(smallest + row)) atomicMin(smallest + row, column);
    });
}

template <class P>
__global__ void __launch_bounds__(kTileThreads)
    compare_smallest(const P* row_ptr, const unsigned* smallest, index_t rows, Sums* sums) {
    __shared__ count_t scratch[3][kTileThreads / kWarp];
    const std::int64_t i = global_thread();
    count_t profile = 0, moves = 0, pairs = 0;
    if (i < rows && row_ptr[i] < row_ptr[i + 1]) {
        const auto own = static_cast<index_t>(smallest[i]);
        profile = static_cast<count_t>(i > own ? i - own : 0);
        if (i > 0 && row_ptr[i - 1] < row_ptr[i]) {
            moves = static_cast<count_t>(abs(own - static_cast<index_t>(smallest[i - 1])));
            pairs = 1;
        }
    }
    profile = block_sum<kTileThreads>(profile, scratch[0]);
    moves = block_sum<kTileThreads>(moves, scratch[1]);
    pairs = block_sum<kTileThreads>(pairs, scratch[2]);
    if (threadIdx.x > 0) return;
    atomicAdd(&sums->profile, profile);
    atomicAdd(&sums->first_moves, moves);
    atomicAdd(&sums->first_pairs, pairs);
}

}  // namespace

template <class T, class P>
void add_smallest_columns(CsrView<T, P> a, DeviceBuffer<unsigned>& smallest, Sums* sums) {
    static_assert(offsetof(Sums, first_pairs) - offsetof(Sums, profile) == 2 * sizeof(count_t));
    SPTUNE_CUDA(cudaMemsetAsync(&sums->profile, 0, 3 * sizeof(count_t), nullptr));
    smallest.fill_bytes(0xff);
    find_smallest<<<static_cast<unsigned>(tiles_of(a.rows, a.nnz())), kTileThreads>>>(
        a.row_ptr, a.col_idx, a.rows, a.nnz(), smallest.data());
    SPTUNE_CUDA_LAUNCHED("find_smallest");
    compare_smallest<<<blocks_for(a.rows, kTileThreads), kTileThreads>>>(a.row_ptr, smallest.data(),
                                                                         a.rows, sums);
    SPTUNE_CUDA_LAUNCHED("compare_smallest");
}

template void add_smallest_columns(CsrView<SPTUNE_VALUE, SPTUNE_POINTER>, DeviceBuffer<unsigned>&,
                                   Sums*);

}  // namespace sptune::cuda
