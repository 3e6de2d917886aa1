// BSR on the GPU: a warp or a part of one per block row, and a thread per row in slices.
#include "kernels/cuda/axes.hpp"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/residency.hpp"
#include "kernels/spmv/bsr/cuda_format.hpp"
#include "kernels/spmv/bsr/sweep.cuh"
#include "kernels/spmv/cuda_formats.hpp"

namespace sptune::cuda {
namespace {

/// block rows of a warp
struct block_rows {
    static constexpr const char* name = "g";
};

constexpr int kMaxBlock = 512;

template <class T>
struct Rows {
    index_t rows, block_rows;
    const std::int32_t* block_ptr;
    const index_t* column;
    const T* values;

    explicit Rows(const BsrStorage<T>& s)
        : rows(s.rows),
          block_rows(s.block_rows()),
          block_ptr(s.block_ptr.data()),
          column(s.column.data()),
          values(s.values.data()) {}
};

template <class T>
struct Pieces {
    const index_t* long_row;
    const std::int32_t* piece_ptr;
    const std::int32_t* piece_long;
    T* partial;
    unsigned* done;
};

/// `PerWarp` block rows per warp. The long ones are left to bsr_pieces_kernel.
template <int R, int C, int PerWarp, class T>
__global__ void __launch_bounds__(kMaxBlock)
    bsr_rows_kernel(Rows<T> a, unsigned kept, Epilogue<T> out, const T* __restrict__ x,
                    T* __restrict__ y) {
    const MatrixLoad load(kept);
    constexpr int lanes = kWarp / PerWarp;
    const int lane = threadIdx.x % lanes;
    const std::int64_t b = global_thread() / lanes;
    std::int32_t begin = 0, end = 0;
    bool mine = b < a.block_rows;
    if (mine) {
        begin = a.block_ptr[b], end = a.block_ptr[b + 1];
        if (end - begin > BsrStorage<T>::kLongBlocks) mine = false, end = begin;
    }
    T sum = sweep_blocks<R, C, lanes>(load, a.column, a.values, begin, end, lane, x);
    sum = sum_rows<R, C, lanes>(sum, lane);
    const std::int64_t row = b * R + lane;
    if (mine && lane < R && row < a.rows) out.store(sum, y + row);
}

constexpr int kPieceBlock = 256;

/// A thread block per piece. The one that finishes last adds up the pieces of its block row, in the
/// same order every time.
template <int R, int C, class T>
__global__ void __launch_bounds__(kPieceBlock)
    bsr_pieces_kernel(Rows<T> a, Pieces<T> p, unsigned kept, Epilogue<T> out,
                      const T* __restrict__ x, T* __restrict__ y) {
    const MatrixLoad load(kept);
    constexpr int limit = BsrStorage<T>::kLongBlocks, warps = kPieceBlock / kWarp;
    constexpr int each = limit / warps;
    __shared__ T part[warps][R];
    __shared__ bool last;
    const int piece = static_cast<int>(blockIdx.x), which = p.piece_long[piece];
    const int first = p.piece_ptr[which], pieces = p.piece_ptr[which + 1] - first;
    const std::int64_t b = p.long_row[which];
    const int warp = threadIdx.x / kWarp, lane = threadIdx.x % kWarp;
    const std::int32_t start = a.block_ptr[b], blocks = a.block_ptr[b + 1] - start;
    const int from = min((piece - first) * limit + warp * each, blocks);
    const int to = from + min(each, blocks - from);
    T sum = sweep_blocks<R, C, kWarp>(load, a.column, a.values, start + from, start + to, lane, x);
    sum = sum_rows<R, C, kWarp>(sum, lane);
    if (lane < R) part[warp][lane] = sum;
    __syncthreads();
    if (threadIdx.x < R) {
        sum = T{0};
        for (int w = 0; w < warps; ++w) sum += part[w][threadIdx.x];
        p.partial[static_cast<std::int64_t>(piece) * R + threadIdx.x] = sum;
        __threadfence();
    }
    __syncthreads();
    if (threadIdx.x == 0) last = atomicAdd(p.done + which, 1u) + 1 == static_cast<unsigned>(pieces);
    __syncthreads();
    if (!last || warp != 0) return;
    __threadfence();
    using S = Sweep<R, 1, kWarp>;
    sum = T{0};
    if (lane < S::lanes)
        for (std::int64_t k = lane; k < static_cast<std::int64_t>(pieces) * R; k += S::lanes)
            sum += __ldcg(p.partial + static_cast<std::int64_t>(first) * R + k);
    sum = sum_rows<R, 1, kWarp>(sum, lane);
    const std::int64_t row = b * R + lane;
    if (lane < R && row < a.rows) out.store(sum, y + row);
    if (lane == 0) p.done[which] = 0;  // for the next call
}

/// A thread per row, `Unroll` blocks at once.
template <int R, int C, int Unroll, class T>
__global__ void __launch_bounds__(kMaxBlock)
    bsr_sliced_kernel(index_t rows, unsigned kept, const std::int64_t* __restrict__ slice_ptr,
                      const std::int32_t* __restrict__ length, const index_t* __restrict__ column,
                      const T* __restrict__ values, Epilogue<T> out, const T* __restrict__ x,
                      T* __restrict__ y) {
    const MatrixLoad load(kept);
    constexpr int pitch = R * kBsrSlice;
    const std::int64_t row = global_thread();
    if (row >= rows) return;
    const std::int64_t slice = row / pitch, from = slice_ptr[slice];
    const int place = static_cast<int>(row % pitch);
    column += from * kBsrSlice + place / R;
    values += from * (C * pitch) + place;
    T sum{0};
    for (int left = length[row / R]; left > 0; left -= Unroll) {
        T value[Unroll][C];
        index_t j[Unroll];
#pragma unroll
        for (int u = 0; u < Unroll; ++u) {
            const bool there = u < left;
            j[u] = load.when(there, column + u * kBsrSlice, index_t{-1});
#pragma unroll
            for (int c = 0; c < C; ++c)
                value[u][c] = load.when(there, values + (u * C + c) * pitch, T{0});
        }
#pragma unroll
        for (int u = 0; u < Unroll; ++u) {
            if (j[u] < 0) continue;
#pragma unroll
            for (int c = 0; c < C; ++c) sum += value[u][c] * gather(x, std::int64_t{j[u]} + c);
        }
        column += Unroll * kBsrSlice;
        values += Unroll * C * pitch;
    }
    out.store(sum, y + row);
}

template <class T, int R, int C, int PerWarp, int Block>
void bsr_rows(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const BsrStorage<T>&>(storage);
    if (s.rows == 0) return;
    const Epilogue<T> out{alpha, beta};
    const Rows<T> a(s);
    const unsigned blocks = blocks_for(a.block_rows, Block / kWarp * PerWarp);
    bsr_rows_kernel<R, C, PerWarp>
        <<<blocks, Block, 0, stream_of(launch)>>>(a, kept_share<T>(s, s.rows, s.cols), out, x, y);
    SPTUNE_CUDA_LAUNCHED("bsr.rows");
    if (s.long_row.empty()) return;
    const Pieces<T> pieces{s.long_row.data(), s.piece_ptr.data(), s.piece_long.data(),
                           s.partial.data(), s.done.data()};
    const auto piece_blocks = static_cast<unsigned>(s.piece_long.size());
    bsr_pieces_kernel<R, C><<<piece_blocks, kPieceBlock, 0, stream_of(launch)>>>(
        a, pieces, kept_share<T>(s, s.rows, s.cols), out, x, y);
    SPTUNE_CUDA_LAUNCHED("bsr.rows (pieces)");
}

template <class T, int R, int C, int Unroll, int Block>
void bsr_sliced(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const BsrSlicedStorage<T>&>(storage);
    if (s.rows == 0) return;
    const unsigned blocks = blocks_for(s.rows, Block);
    bsr_sliced_kernel<R, C, Unroll><<<blocks, Block, 0, stream_of(launch)>>>(
        s.rows, kept_share<T>(s, s.rows, s.cols), s.slice_ptr.data(), s.length.data(),
        s.column.data(), s.values.data(), Epilogue<T>{alpha, beta}, x, y);
    SPTUNE_CUDA_LAUNCHED("bsr.sliced");
}

using BlockAxis = axis<block, 64, 128, 256, 512>;
using RowsGrid = grid<axis<block_rows, 1, 2, 4>, BlockAxis>;
using SlicedGrid = grid<axis<unroll, 1, 2, 4>, BlockAxis>;

/// Values of the blocks in flight, at most: more cost registers and hide no more latency.
constexpr int kMaxInFlight = 12;

template <class T, int R, int C>
void add_block_size(KernelList<T>& list) {
    for_each_point(RowsGrid{}, [&]<class Point>(Point p) {
        constexpr int g = Point::template get<block_rows>(), b = Point::template get<block>();
        add_kernel_for_all_indices<BsrFormat, T>(list, "rows", {{"r", R}, {"c", C}}, p.params(),
                                                 &bsr_rows<T, R, C, g, b>);
    });
    for_each_point(SlicedGrid{}, [&]<class Point>(Point p) {
        constexpr int u = Point::template get<unroll>(), b = Point::template get<block>();
        if constexpr (u == 1 || u * C <= kMaxInFlight)
            add_kernel_for_all_indices<BsrSlicedFormat, T>(list, "sliced",
                                                           {{"r", R}, {"c", C}, {"s", kBsrSlice}},
                                                           p.params(), &bsr_sliced<T, R, C, u, b>);
    });
}

/// r×c pairs, as rows of two.
template <class T, int... RC>
struct BlockSizes;
template <class T, int R, int C, int... Rest>
struct BlockSizes<T, R, C, Rest...> {
    static void add(KernelList<T>& list) {
        add_block_size<T, R, C>(list);
        if constexpr (sizeof...(Rest) > 0) BlockSizes<T, Rest...>::add(list);
    }
};

}  // namespace
}  // namespace sptune::cuda

namespace sptune {

void add_cuda_bsr_kernels(KernelList<SPTUNE_VALUE>& list) {
    cuda::BlockSizes<SPTUNE_VALUE,  //
                     2, 2, 3, 3, 4, 4, 6, 6, 8, 8, 1, 2, 1, 3, 1, 4, 1, 8, 2, 1, 3, 1, 4, 1, 8, 1,
                     2, 4, 4, 2, 2, 3, 3, 2>::add(list);
}

}  // namespace sptune
