// HYB on the GPU, in one launch: a warp per slice of 32 rows adds its ELL part and its short rests;
// other warps add the long rests, and the last to finish its row adds the rest of it. Sums are
// taken in the same order every time.
#include "kernels/cuda/axes.hpp"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/residency.hpp"
#include "kernels/kernel_list.hpp"
#include "kernels/spmv/hyb/cuda_format.hpp"
#include "kernels/spmv/padded_dot.cuh"
#include "kernels/spmv/pieces.cuh"

namespace sptune::cuda {
namespace {

/// Products that a warp stages at a time.
constexpr int kStaged = 128;

template <class T>
struct Hyb {
    index_t rows, width;
    std::int64_t pitch;
    const T* values;
    const index_t* column;
    const T* rest_values;
    const index_t* rest_column;
    const std::int32_t* rest_ptr;
    const unsigned* long_mask;
    const T* long_values;
    const index_t* long_column;
    int pieces;
    unsigned piece_blocks;  ///< of the grid, before those of the slices
    const std::int32_t* long_ptr;
    PiecesView<T> longs;
};

/// One piece of a long rest, by a warp.
template <class T>
__device__ void long_piece(MatrixLoad load, const Hyb<T>& s, int piece, const Epilogue<T>& out,
                           const T* __restrict__ x, T* __restrict__ y) {
    const int lane = static_cast<int>(threadIdx.x % kWarp);
    const int l = s.longs.piece_long[piece], first = s.longs.piece_ptr[l];
    const int pieces = s.longs.piece_ptr[l + 1] - first;
    const std::int32_t begin = s.long_ptr[l] + (piece - first) * kRestPiece;
    const std::int32_t end = min(begin + kRestPiece, s.long_ptr[l + 1]);
    T sum = padded_dot<kWarp>(load, s.long_values + begin, s.long_column + begin, lane, end - begin,
                              x, [](index_t j) { return static_cast<std::int64_t>(j); });
    sum = group_sum<kWarp>(sum);
    if (pieces > 1) {
        bool last = false;
        if (lane == 0) {
            s.longs.partial[piece] = sum;
            last = s.longs.finishes(l, pieces);
        }
        last = __shfl_sync(kFullMask, last, 0);
        if (!last) return;
        sum = group_sum<kWarp>(s.longs.share(lane, kWarp, first, pieces));
        if (lane == 0) s.longs.done[l] = 0;  // for the next call
    }
    const std::int64_t row = s.longs.long_row[l];
    sum += group_sum<kWarp>(padded_dot<kWarp>(load, s.values + row, s.column + row, lane, s.width,
                                              x, [&](index_t j) { return j * s.pitch; }));
    if (lane == 0) out.store(sum, y + row);
}

/// The short rests of a slice: the warp reads them as they lie, each lane adds those of its row,
/// which are [from, to).
template <class T>
__device__ __forceinline__ T add_short_rests(MatrixLoad load, const Hyb<T>& s, std::int32_t begin,
                                             std::int32_t end, std::int32_t from, std::int32_t to,
                                             const T* __restrict__ x, T* product) {
    constexpr int kEach = kStaged / kWarp;
    const int lane = static_cast<int>(threadIdx.x % kWarp);
    T sum{0};
    for (std::int32_t base = begin; base < end; base += kStaged) {
        T value[kEach];
        index_t c[kEach];
#pragma unroll
        for (int u = 0; u < kEach; ++u) {
            const std::int32_t k = base + u * kWarp + lane;
            c[u] = load.when(k < end, s.rest_column + k, index_t{0});
            value[u] = load.when(k < end, s.rest_values + k, T{0});
        }
#pragma unroll
        for (int u = 0; u < kEach; ++u)
            if (base + u * kWarp + lane < end)
                product[u * kWarp + lane] = value[u] * gather(x, c[u]);
        __syncwarp();
        const int last = min(to, base + kStaged) - base;
        for (int k = max(from, base) - base; k < last; ++k) sum += product[k];
        __syncwarp();
    }
    return sum;
}

template <class T>
__global__ void __launch_bounds__(1024) hyb_kernel(Hyb<T> s, unsigned kept, Epilogue<T> out,
                                                   const T* __restrict__ x, T* __restrict__ y) {
    extern __shared__ __align__(16) unsigned char scratch[];
    wait_for_previous();
    const MatrixLoad load(kept);
    const int warps = static_cast<int>(blockDim.x) / kWarp;
    const int warp = static_cast<int>(threadIdx.x) / kWarp;
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    if (blockIdx.x < s.piece_blocks) {
        const int piece = static_cast<int>(blockIdx.x) * warps + warp;
        if (piece < s.pieces) long_piece(load, s, piece, out, x, y);
        return;
    }
    const std::int64_t slice = std::int64_t{blockIdx.x - s.piece_blocks} * warps + warp;
    const std::int64_t first = slice * kWarp, i = first + lane, rows = s.rows;
    if (first >= rows) return;  // whole warps only: nothing below waits for the block
    const std::int32_t begin = s.rest_ptr[first], end = s.rest_ptr[min(first + kWarp, rows)];
    const bool is_long = s.long_mask[slice] >> lane & 1;
    T sum = padded_dot<1>(load, s.values + i, s.column + i, 0, s.width, x,
                          [&](index_t j) { return j * s.pitch; });
    if (begin < end)
        sum += add_short_rests(load, s, begin, end, s.rest_ptr[min(i, rows)],
                               s.rest_ptr[min(i + 1, rows)], x,
                               reinterpret_cast<T*>(scratch) + warp * kStaged);
    if (i < rows && !is_long) out.store(sum, y + i);
}

template <class T, int Block>
void hyb(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const HybStorage<T>&>(storage);
    if (s.rows == 0) return;
    constexpr int kWarps = Block / kWarp;
    const int pieces = s.pieces.size();
    const unsigned piece_blocks = blocks_for(pieces, kWarps);
    const Hyb<T> a{s.rows,
                   s.width,
                   s.pitch,
                   s.values.data(),
                   s.column.data(),
                   s.rest_values.data(),
                   s.rest_column.data(),
                   s.rest_ptr.data(),
                   s.long_mask.data(),
                   s.rest_values.data() + s.short_entries,
                   s.rest_column.data() + s.short_entries,
                   pieces,
                   piece_blocks,
                   s.long_ptr.data(),
                   PiecesView<T>(s.pieces)};
    const LaunchShape shape{piece_blocks + blocks_for(s.rows, Block), Block,
                            kWarps * kStaged * sizeof(T)};
    launch_early(hyb_kernel<T>, shape, stream_of(launch), a, kept_share<T>(s, s.rows, s.cols),
                 Epilogue<T>{alpha, beta}, x, y);
}

/// rows that fit the ELL part, in %
struct quantile {
    static constexpr const char* name = "q";
};
using Grid = grid<axis<quantile, 50, 75, 90, 95>, Blocks>;

template <class T>
void add_all(KernelList<T>& list) {
    for_each_point(Grid{}, [&]<class Point>(Point p) {
        const Params all = p.params();
        add_kernel_for_all_indices<HybFormat, T>(list, "rows", {all[0]}, {all[1]},
                                                 &hyb<T, Point::template get<block>()>);
    });
}

}  // namespace
}  // namespace sptune::cuda

namespace sptune {

void add_cuda_hyb_kernels(KernelList<SPTUNE_VALUE>& list) {
    cuda::add_all<SPTUNE_VALUE>(list);
}

}  // namespace sptune
