// CSR on the GPU in tiles of rows that a block stages in shared memory.
#pragma once

#include "kernels/cuda/axes.hpp"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/residency.hpp"
#include "kernels/spmv/csr/cuda_format.hpp"
#include "kernels/spmv/csr/cuda_parts.hpp"
#include "kernels/spmv/csr/staged_rows.cuh"
#include "kernels/spmv/pieces.cuh"

namespace sptune::cuda {
namespace {

template <class T, class P>
struct Tiles {
    CsrView<T, P> a;
    const CsrTile<P>* tile;
    const std::uint16_t* offset;
    int pieces;  ///< blocks of the grid that come before those of the tiles
    P piece_entries;
    PiecesView<T> longs;
};

/// One piece of a long row. The block that finishes last adds up the pieces of its row, in the same
/// order every time.
template <int Block, int Items, class T, class P>
__device__ void long_piece(MatrixLoad load, const Tiles<T, P>& s, const Epilogue<T>& out,
                           const T* x, T* y) {
    __shared__ T scratch[Block / kWarp];
    __shared__ bool last;
    const int piece = blockIdx.x, which = s.longs.piece_long[piece];
    const int first = s.longs.piece_ptr[which], pieces = s.longs.piece_ptr[which + 1] - first;
    const index_t row = s.longs.long_row[which];
    const P begin = s.a.row_ptr[row] + static_cast<P>(piece - first) * s.piece_entries;
    const P end = min(begin + s.piece_entries, s.a.row_ptr[row + 1]);
    T sum{0};
    for (P base = begin + threadIdx.x; base < end; base += Block * Items) {
        T value[Items];
        index_t j[Items];
#pragma unroll
        for (int i = 0; i < Items; ++i) {
            const P k = base + i * Block;
            value[i] = load.when(k < end, s.a.values + k, T{0});
            j[i] = load.when(k < end, s.a.col_idx + k, index_t{-1});
        }
#pragma unroll
        for (int i = 0; i < Items; ++i)
            if (j[i] >= 0) sum += value[i] * gather(x, j[i]);
    }
    sum = block_sum<Block>(sum, scratch);
    if (pieces == 1) {
        if (threadIdx.x == 0) out.store(sum, y + row);
        return;
    }
    if (threadIdx.x == 0) {
        s.longs.partial[piece] = sum;
        last = s.longs.finishes(which, pieces);
    }
    __syncthreads();
    if (!last) return;
    sum = block_sum<Block>(s.longs.share(threadIdx.x, Block, first, pieces), scratch);
    if (threadIdx.x == 0) {
        out.store(sum, y + row);
        s.longs.done[which] = 0;  // for the next call
    }
}

template <class T, class P, int Block, int Items, bool Narrow>
__global__ void __launch_bounds__(Block, resident_blocks(Block, Items))
    csr_tiles_kernel(Tiles<T, P> s, unsigned kept, Epilogue<T> out, const T* __restrict__ x,
                     T* __restrict__ y) {
    wait_for_previous();
    const MatrixLoad load(kept);
    constexpr int n = Block * Items;
    if (static_cast<int>(blockIdx.x) < s.pieces) {
        long_piece<Block, Items>(load, s, out, x, y);
        return;
    }
    __shared__ T product[2 * n];
    __shared__ StagedRows<n> rows;
    const CsrTile<P> tile = s.tile[blockIdx.x - s.pieces];
    if (tile.rows == 0) return;
    rows.template load<Block>(s.a.row_ptr + tile.first, tile.rows, tile.begin,
                              tile.begin + tile.entries);
    if (Narrow && tile.base >= 0)
        stage_products<Block, Items>(load, s.a.values + tile.begin, s.offset + tile.begin,
                                     tile.entries, x + tile.base, product);
    else
        stage_products<Block, Items>(load, s.a.values + tile.begin, s.a.col_idx + tile.begin,
                                     tile.entries, x, product);
    __syncthreads();
    rows.template sum<Block>(tile.rows, product,
                             [&](int r, T sum) { out.store(sum, y + tile.first + r); });
}

template <class T, class P, int Block, int Items, bool Narrow>
void csr_tiles(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const CsrTilesStorage<T, P>&>(storage);
    if (s.a.rows == 0) return;
    const int pieces = s.pieces.size();
    const Tiles<T, P> tiles{s.a,    s.tile.data(),   s.offset.data(),
                            pieces, s.piece_entries, PiecesView<T>(s.pieces)};
    const auto blocks = static_cast<unsigned>(pieces + s.tiles());
    launch_early(csr_tiles_kernel<T, P, Block, Items, Narrow>, blocks, Block, launch, tiles,
                 kept_share<T>(s, s.a.rows, s.a.cols), Epilogue<T>{alpha, beta}, x, y);
}

using TileGrid = grid<axis<items, 2, 4, 8>, Blocks>;

/// Those with columns of so many bits.
template <class T, class P, int IndexBits>
void add_tiles(KernelList<T>& list) {
    for_each_point(TileGrid{}, [&]<class Point>(Point) {
        constexpr int b = Point::template get<block>(), i = Point::template get<items>();
        if constexpr ((2 * sizeof(T) + 3) * b * i + 1024 <= kSharedBytes)
            add_kernel<CsrTilesFormat, T, P>(list, "tiles", {{"n", b * i}, {"x", IndexBits}},
                                             {{"b", b}}, &csr_tiles<T, P, b, i, IndexBits == 16>);
    });
}

}  // namespace
}  // namespace sptune::cuda
