// CSR on the GPU: a thread per row, a few threads per row, and tiles staged in shared memory.
#include "kernels/cuda/axes.hpp"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/residency.hpp"
#include "kernels/spmv/csr/cuda_format.hpp"
#include "kernels/spmv/csr/staged_rows.cuh"
#include "kernels/spmv/cuda_formats.hpp"

#include <algorithm>

namespace sptune::cuda {
namespace {

template <class T, class P>
__global__ void csr_scalar_kernel(CsrView<T, P> a, Epilogue<T> out, const T* __restrict__ x,
                                  T* __restrict__ y) {
    const std::int64_t i = global_thread();
    if (i >= a.rows) return;
    T sum{0};
    const P end = a.row_ptr[i + 1];
    for (P k = a.row_ptr[i]; k < end; ++k) sum += a.values[k] * gather(x, a.col_idx[k]);
    out.store(sum, y + i);
}

template <class T, class P>
__global__ void csr_grid_stride_kernel(CsrView<T, P> a, Epilogue<T> out, const T* __restrict__ x,
                                       T* __restrict__ y) {
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (std::int64_t i = global_thread(); i < a.rows; i += stride) {
        T sum{0};
        const P end = a.row_ptr[i + 1];
        for (P k = a.row_ptr[i]; k < end; ++k) sum += a.values[k] * gather(x, a.col_idx[k]);
        out.store(sum, y + i);
    }
}

/// `Threads` neighbouring threads share a row.
template <class T, class P, int Threads>
__global__ void csr_vector_kernel(CsrView<T, P> a, unsigned kept, Epilogue<T> out,
                                  const T* __restrict__ x, T* __restrict__ y) {
    const MatrixLoad load(kept);
    const std::int64_t i = global_thread() / Threads;
    const int lane = threadIdx.x % Threads;
    T sum{0};
    if (i < a.rows) {
        const P begin = a.row_ptr[i];
        P k = begin + lane, left = a.row_ptr[i + 1] - begin - lane;  // k may pass what P can hold
        for (; left > Threads; left -= 2 * Threads, k += 2 * Threads) {  // two loads in flight
            const T first = load(a.values + k), second = load(a.values + k + Threads);
            const index_t j = load(a.col_idx + k);
            const index_t l = load(a.col_idx + k + Threads);
            sum += first * gather(x, j);
            sum += second * gather(x, l);
        }
        if (left > 0) sum += load(a.values + k) * gather(x, load(a.col_idx + k));
    }
    sum = group_sum<Threads>(sum);
    if (lane == 0 && i < a.rows) out.store(sum, y + i);
}

template <class T, class P>
struct Tiles {
    CsrView<T, P> a;
    const CsrTile<P>* tile;
    const std::uint16_t* offset;
    int pieces;  ///< blocks of the grid that come before those of the tiles
    P piece_entries;
    const index_t* long_row;
    const std::int32_t* piece_ptr;
    const std::int32_t* piece_long;
    T* partial;
    unsigned* done;
};

/// One piece of a long row. The block that finishes last adds up the pieces of its row, in the same
/// order every time.
template <int Block, int Items, class T, class P>
__device__ void long_piece(MatrixLoad load, const Tiles<T, P>& s, const Epilogue<T>& out,
                           const T* x, T* y) {
    __shared__ T scratch[Block / kWarp];
    __shared__ bool last;
    const int piece = blockIdx.x, which = s.piece_long[piece], first = s.piece_ptr[which];
    const index_t row = s.long_row[which];
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
    const int pieces = s.piece_ptr[which + 1] - first;
    if (pieces == 1) {
        if (threadIdx.x == 0) out.store(sum, y + row);
        return;
    }
    if (threadIdx.x == 0) {
        s.partial[piece] = sum;
        __threadfence();
        last = atomicAdd(s.done + which, 1u) + 1 == static_cast<unsigned>(pieces);
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    sum = T{0};
    for (int p = threadIdx.x; p < pieces; p += Block) sum += __ldcg(s.partial + first + p);
    sum = block_sum<Block>(sum, scratch);
    if (threadIdx.x == 0) {
        out.store(sum, y + row);
        s.done[which] = 0;  // for the next call
    }
}

/// Blocks that a multiprocessor is to hold: as many as it has threads for, or three quarters of
/// that where a thread has more than 4 entries, which take registers.
constexpr int resident_blocks(int block, int items) {
    const int threads = items <= 4 ? kResidentThreads : kResidentThreads * 3 / 4;
    return std::min(threads / block, kResidentBlocks);
}

template <class T, class P, int Block, int Items, bool Narrow>
__global__ void __launch_bounds__(Block, resident_blocks(Block, Items))
    csr_tiles_kernel(Tiles<T, P> s, unsigned kept, Epilogue<T> out, const T* __restrict__ x,
                     T* __restrict__ y) {
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

/// Rows that begin and end anywhere in tiles of exactly N rows and entries together.
template <class T, class P, int Block, int Items>
__global__ void __launch_bounds__(Block, resident_blocks(Block, Items))
    csr_merge_kernel(CsrView<T, P> a, unsigned kept, const index_t* tile_row, T* carry,
                     index_t tiles, Epilogue<T> out, const T* __restrict__ x, T* __restrict__ y) {
    const MatrixLoad load(kept);
    constexpr int n = Block * Items;
    __shared__ T product[n];
    __shared__ StagedRows<n + 1> rows;
    let_next_begin();
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

/// Adds what tiles carried to the rows that later tiles have ended, tile by tile.
template <class T>
__global__ void csr_merge_carry_kernel(const index_t* tile_row, const T* carry, index_t tiles,
                                       index_t rows, T alpha, T* y) {
    wait_for_previous();
    // Tile t carries to row tile_row[t + 1].
    const std::int64_t t = global_thread();
    if (t + 1 >= tiles) return;
    const index_t row = tile_row[t + 1];
    if (row >= rows || (t > 0 && tile_row[t] == row)) return;
    T sum{0};
    for (std::int64_t u = t; u + 1 < tiles && tile_row[u + 1] == row; ++u) sum += carry[u];
    y[row] += alpha * sum;
}

template <class T, class P, int Block>
void csr_scalar(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const CsrStorage<T, P>&>(storage);
    if (s.a.rows == 0) return;
    const unsigned blocks = blocks_for(s.a.rows, Block);
    csr_scalar_kernel<<<blocks, Block, 0, stream_of(launch)>>>(s.a, Epilogue<T>{alpha, beta}, x, y);
    SPTUNE_CUDA_LAUNCHED("csr.scalar");
}

template <class T, class P, int Block>
void csr_grid_stride(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const CsrStorage<T, P>&>(storage);
    if (s.a.rows == 0) return;
    const unsigned full = static_cast<unsigned>(multiprocessors()) * (kResidentThreads / Block);
    const unsigned blocks = std::min(full, blocks_for(s.a.rows, Block));
    csr_grid_stride_kernel<<<blocks, Block, 0, stream_of(launch)>>>(s.a, Epilogue<T>{alpha, beta},
                                                                    x, y);
    SPTUNE_CUDA_LAUNCHED("csr.gridstride");
}

template <class T, class P, int Threads, int Block>
void csr_vector(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const CsrStorage<T, P>&>(storage);
    if (s.a.rows == 0) return;
    const unsigned blocks = blocks_for(s.a.rows, Block / Threads);
    csr_vector_kernel<T, P, Threads><<<blocks, Block, 0, stream_of(launch)>>>(
        s.a, kept_share<T>(s, s.a.rows, s.a.cols), Epilogue<T>{alpha, beta}, x, y);
    SPTUNE_CUDA_LAUNCHED("csr.vector");
}

template <class T, class P, int Block, int Items, bool Narrow>
void csr_tiles(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const CsrTilesStorage<T, P>&>(storage);
    if (s.a.rows == 0) return;
    const int pieces = static_cast<int>(s.partial.size());
    const Tiles<T, P> tiles{s.a,
                            s.tile.data(),
                            s.offset.data(),
                            pieces,
                            s.piece_entries,
                            s.long_row.data(),
                            s.piece_ptr.data(),
                            s.piece_long.data(),
                            s.partial.data(),
                            s.done.data()};
    const auto blocks = static_cast<unsigned>(pieces + s.tiles());
    csr_tiles_kernel<T, P, Block, Items, Narrow><<<blocks, Block, 0, stream_of(launch)>>>(
        tiles, kept_share<T>(s, s.a.rows, s.a.cols), Epilogue<T>{alpha, beta}, x, y);
    SPTUNE_CUDA_LAUNCHED("csr.tiles");
}

template <class T, class P, int Block, int Items>
void csr_merge(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const CsrMergeStorage<T, P>&>(storage);
    if (s.a.rows == 0) return;
    CsrView<T, P> a = s.a;
    a.entries = a.nnz();
    const auto blocks = static_cast<unsigned>(s.tiles());
    csr_merge_kernel<T, P, Block, Items><<<blocks, Block, 0, stream_of(launch)>>>(
        a, kept_share<T>(s, a.rows, a.cols), s.tile_row.data(), s.carry.data(), s.tiles(),
        Epilogue<T>{alpha, beta}, x, y);
    SPTUNE_CUDA_LAUNCHED("csr.merge");
    if (s.tiles() == 1) return;
    constexpr int kCarryBlock = 128;
    launch_early(csr_merge_carry_kernel<T>, blocks_for(s.tiles(), kCarryBlock), kCarryBlock, launch,
                 s.tile_row.data(), s.carry.data(), s.tiles(), a.rows, alpha, y);
}

using BlockGrid = grid<Blocks>;
using VectorGrid = grid<axis<row_threads, 2, 4, 8, 16, 32>, Blocks>;
using TileGrid = grid<axis<index_bits, 32, 16>, axis<items, 2, 4, 8>, Blocks>;
using MergeGrid = grid<axis<items, 4, 8>, axis<block, 128, 256, 512>>;

/// What a block may have of shared memory without asking.
constexpr std::size_t kSharedBytes = 48 << 10;

template <class T, class P>
void add_all(KernelList<T>& list) {
    for_each_point(BlockGrid{}, [&]<class Point>(Point p) {
        constexpr int b = Point::template get<block>();
        add_kernel<CsrFormat, T, P>(list, "scalar", {}, p.params(), &csr_scalar<T, P, b>);
        add_kernel<CsrFormat, T, P>(list, "gridstride", {}, p.params(), &csr_grid_stride<T, P, b>);
    });
    for_each_point(VectorGrid{}, [&]<class Point>(Point p) {
        add_kernel<CsrFormat, T, P>(
            list, "vector", {}, p.params(),
            &csr_vector<T, P, Point::template get<row_threads>(), Point::template get<block>()>);
    });
    for_each_point(TileGrid{}, [&]<class Point>(Point) {
        constexpr int b = Point::template get<block>(), i = Point::template get<items>();
        if constexpr ((2 * sizeof(T) + 3) * b * i + 1024 <= kSharedBytes) {
            constexpr int bits = Point::template get<index_bits>();
            add_kernel<CsrTilesFormat, T, P>(list, "tiles", {{"n", b * i}, {"x", bits}}, {{"b", b}},
                                             &csr_tiles<T, P, b, i, bits == 16>);
        }
    });
    for_each_point(MergeGrid{}, [&]<class Point>(Point) {
        constexpr int b = Point::template get<block>(), i = Point::template get<items>();
        if constexpr ((sizeof(T) + 3) * b * i + 1024 <= kSharedBytes)
            add_kernel<CsrMergeFormat, T, P>(list, "merge", {{"m", b * i}}, {{"b", b}},
                                             &csr_merge<T, P, b, i>);
    });
}

}  // namespace
}  // namespace sptune::cuda

namespace sptune {

void add_cuda_csr_kernels(KernelList<SPTUNE_VALUE>& list) {
    cuda::add_all<SPTUNE_VALUE, std::int32_t>(list);
    cuda::add_all<SPTUNE_VALUE, std::int64_t>(list);
}

}  // namespace sptune
