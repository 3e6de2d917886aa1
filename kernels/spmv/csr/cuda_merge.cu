// CSR on the GPU in tiles of exactly equal work (merge path).
#include "kernels/cuda/axes.hpp"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/residency.hpp"
#include "kernels/spmv/carries.cuh"
#include "kernels/spmv/csr/cuda_format.hpp"
#include "kernels/spmv/csr/cuda_parts.hpp"
#include "kernels/spmv/csr/staged_rows.cuh"

namespace sptune::cuda {
namespace {

/// Rows that begin and end anywhere in tiles of exactly N rows and entries together.
template <class T, class P, int Block, int Items>
__global__ void __launch_bounds__(Block, resident_blocks(Block, Items))
    csr_merge_kernel(CsrView<T, P> a, unsigned kept, const index_t* tile_row, T* carry,
                     index_t tiles, Epilogue<T> out, const T* __restrict__ x, T* __restrict__ y) {
    wait_for_previous();
    let_next_begin();
    const MatrixLoad load(kept);
    constexpr int n = Block * Items;
    __shared__ T product[n];
    __shared__ StagedRows<n + 1> rows;
    const index_t tile = blockIdx.x;
    const index_t first = tile_row[tile], last = tile_row[tile + 1];
    const P begin = static_cast<P>(static_cast<std::int64_t>(tile) * n - first);
    const P end = tile + 1 == tiles
                      ? a.entries
                      : static_cast<P>((static_cast<std::int64_t>(tile) + 1) * n - last);
    // The row that goes on in the next tile counts as one more.
    const int count = last - first + (tile + 1 == tiles || last == a.rows ? 0 : 1);
    rows.template load<Block>(a.row_ptr + first, count, begin, end);
    stage_products<Block, Items>(load, a.values + begin, a.col_idx + begin,
                                 static_cast<int>(end - begin), x, product);
    __syncthreads();
    rows.template sum<Block>(count, product, [&](int r, T sum) {
        if (first + r < last)
            out.store(sum, y + first + r);
        else
            carry[tile] = sum;
    });
}

template <class T, class P, int Block, int Items>
void csr_merge(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const CsrMergeStorage<T, P>&>(storage);
    if (s.a.rows == 0) return;
    CsrView<T, P> a = s.a;
    a.entries = a.nnz();
    const auto blocks = static_cast<unsigned>(s.tiles());
    launch_early(csr_merge_kernel<T, P, Block, Items>, blocks, Block, launch, a,
                 kept_share<T>(s, a.rows, a.cols), s.tile_row.data(), s.carry.data(), s.tiles(),
                 Epilogue<T>{alpha, beta}, x, y);
    const std::int64_t carrying = std::int64_t{s.tiles()} - 1;  // to where the next tile begins
    if (carrying == 0) return;
    constexpr int kCarryBlock = 128;
    launch_early(add_carries<T>, blocks_for(carrying, kCarryBlock), kCarryBlock, launch,
                 s.tile_row.data() + 1, s.carry.data(), carrying, a.rows, alpha, y);
}

using MergeGrid = grid<axis<items, 4, 8>, axis<block, 128, 256, 512>>;

template <class T, class P>
void add_all(KernelList<T>& list) {
    for_each_point(MergeGrid{}, [&]<class Point>(Point) {
        constexpr int b = Point::template get<block>(), i = Point::template get<items>();
        if constexpr ((sizeof(T) + 3) * b * i + 1024 <= kSharedBytes)
            add_kernel<CsrMergeFormat, T, P>(list, "merge", {{"m", b * i}}, {{"b", b}},
                                             &csr_merge<T, P, b, i>);
    });
}

}  // namespace

void add_csr_merge(KernelList<SPTUNE_VALUE>& list) {
    add_all<SPTUNE_VALUE, std::int32_t>(list);
    add_all<SPTUNE_VALUE, std::int64_t>(list);
}

}  // namespace sptune::cuda
