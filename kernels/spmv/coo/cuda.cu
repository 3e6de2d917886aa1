// COO on the GPU: segmented reduction over tiles of a warp or of a block, without atomics: what a
// tile has of a row that goes on in the next one is added afterwards, in order. And one with
// atomics, which need no second look at anything.
#include "kernels/cuda/axes.hpp"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/residency.hpp"
#include "kernels/cuda/scale.cuh"
#include "kernels/kernel_list.hpp"
#include "kernels/spmv/carries.cuh"
#include "kernels/spmv/coo/cuda_format.hpp"
#include "kernels/spmv/coo/segments.cuh"
#include "kernels/spmv/strip_load.cuh"

namespace sptune::cuda {
namespace {

constexpr int kMaxBlock = 512;

template <class T>
struct Entries {
    std::int64_t size;
    const index_t* row;
    const index_t* column;
    const T* values;
    index_t* carry_row;
    T* carry;
};

/// What the warps before this one have of the row with which it begins. All threads take part;
/// `rest` and `ends` are those of the whole warp.
template <class T>
__device__ T sum_of_warps_before(T rest, bool ends, int warp, int lane) {
    __shared__ T rest_of[kMaxBlock / kWarp];
    __shared__ bool ends_of[kMaxBlock / kWarp];
    if (lane == kWarp - 1) rest_of[warp] = rest, ends_of[warp] = ends;
    __syncthreads();
    T sum{0};
    for (int w = 0; w < warp; ++w) sum = ends_of[w] ? rest_of[w] : sum + rest_of[w];
    return sum;
}

/// A tile is the entries of a warp, or, if `BlockWide`, those of a block. A row is stored by the
/// tile in which it ends.
template <int Items, bool BlockWide, class T>
__global__ void __launch_bounds__(kMaxBlock)
    coo_tiles_kernel(Entries<T> a, unsigned kept, Epilogue<T> out, const T* __restrict__ x,
                     T* __restrict__ y) {
    extern __shared__ __align__(16) char memory[];
    wait_for_previous();
    let_next_begin();
    const MatrixLoad load(kept);
    const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp, warps = blockDim.x / kWarp;
    const Strip<Items, T> strip{memory + warp * Strip<Items, T>::bytes};
    const std::int64_t number = static_cast<std::int64_t>(blockIdx.x) * warps + warp;
    const std::int64_t begin = number * strip.entries, end = begin + strip.entries;
    if (!BlockWide && begin >= a.size) return;

    T product[Items];
    index_t row[Items], column[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) {
        const std::int64_t k = begin + i * kWarp + lane;
        row[i] = load.when(k < a.size, a.row + k, index_t{kNoRow});
        column[i] = load.when(k < a.size, a.column + k, index_t{0});
        product[i] = load.when(k < a.size, a.values + k, T{0});
    }
#pragma unroll
    for (int i = 0; i < Items; ++i)
        if (row[i] != kNoRow) product[i] *= gather(x, column[i]);
    strip.transpose(row, lane);
    strip.transpose(product, lane);
    index_t next = __shfl_down_sync(kFullMask, row[0], 1);
    if (lane == kWarp - 1) next = end < a.size ? a.row[end] : kNoRow;

    Segments<T> s = sum_segments(product, row, next, lane,
                                 [&](index_t ended, T sum) { out.store(sum, y + ended); });
    std::int64_t tile = number;
    bool last = true;
    if constexpr (BlockWide) {
        const T sum = sum_of_warps_before(s.rest, s.ends != 0, warp, lane);
        if ((s.ends & ((1u << lane) - 1)) == 0) s.before += sum;
        if (s.ends == 0) s.rest += sum;
        tile = blockIdx.x;
        last = warp == warps - 1;
    }
    if (s.first_row != kNoRow) out.store(s.first_sum + s.before, y + s.first_row);
    if (last && lane == kWarp - 1) {
        a.carry_row[tile] = row[Items - 1] == next ? next : kNoRow;
        a.carry[tile] = s.rest;
    }
}

template <class T>
__global__ void coo_empty_kernel(const index_t* empty_row, std::int64_t size, Epilogue<T> out,
                                 T* y) {
    wait_for_previous();
    const std::int64_t i = global_thread();
    if (i < size) out.store(T{0}, y + empty_row[i]);
}

template <class T, int Items, bool BlockWide, int Block>
void coo_tiles(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const CooStorage<T>&>(storage);
    const Epilogue<T> out{alpha, beta};
    constexpr int kSmallBlock = 128;
    const auto empty = static_cast<std::int64_t>(s.empty_row.size());
    if (empty > 0) {
        launch_early(coo_empty_kernel<T>, blocks_for(empty, kSmallBlock), kSmallBlock, launch,
                     s.empty_row.data(), empty, out, y);
    }
    const auto nnz = static_cast<std::int64_t>(s.values.size());
    if (nnz == 0) return;
    using WarpStrip = Strip<Items, T>;
    constexpr int each = Block / kWarp * WarpStrip::entries;
    constexpr int tile = BlockWide ? each : WarpStrip::entries;
    static_assert(tile >= CooStorage<T>::kMinTile);
    const Entries<T> a{
        nnz, s.row.data(), s.column.data(), s.values.data(), s.carry_row.data(), s.carry.data()};
    const unsigned blocks = blocks_for(nnz, each);
    const LaunchShape shape{blocks, Block, Block / kWarp * WarpStrip::bytes};
    launch_early(coo_tiles_kernel<Items, BlockWide, T>, shape, stream_of(launch), a,
                 kept_share<T>(s, s.rows, s.cols), out, x, y);
    const std::int64_t tiles = (nnz + tile - 1) / tile;
    if (tiles == 1) return;
    launch_early(add_carries<T>, blocks_for(tiles, kSmallBlock), kSmallBlock, launch,
                 s.carry_row.data(), s.carry.data(), tiles, s.rows, alpha, y);
}

/// `Items` neighbouring entries of each thread: as few loads wait for each other as can be. Rows
/// that several threads hold are added up within the warp, then atomically, so that the rounding
/// is another one every time.
template <int Items, class T>
__global__ void __launch_bounds__(kMaxBlock)
    coo_atomic_kernel(Entries<T> a, unsigned kept, T alpha, const T* __restrict__ x,
                      T* __restrict__ y) {
    const MatrixLoad load(kept);
    const std::int64_t begin = global_thread() * Items;
    const auto count = static_cast<int>(min(a.size - begin, std::int64_t{Items}));
    T product[Items];
    index_t row[Items], column[Items];
    load_strip(load, a.row + begin, count, kNoRow, row);
    load_strip(load, a.column + begin, count, index_t{0}, column);
    load_strip(load, a.values + begin, count, T{0}, product);
    wait_for_previous();
#pragma unroll
    for (int i = 0; i < Items; ++i)
        if (row[i] != kNoRow) product[i] *= gather(x, column[i]);
    index_t current = row[0];
    T sum = product[0];
#pragma unroll
    for (int i = 1; i < Items; ++i) {
        if (row[i] != current && row[i] != kNoRow) {
            atomicAdd(y + current, alpha * sum);
            current = row[i];
            sum = T{0};
        }
        sum += product[i];
    }
    const int lane = threadIdx.x % kWarp;
#pragma unroll
    for (int offset = 1; offset < kWarp; offset *= 2) {
        const T before = __shfl_up_sync(kFullMask, sum, offset);
        const index_t theirs = __shfl_up_sync(kFullMask, current, offset);
        if (lane >= offset && theirs == current) sum += before;
    }
    const index_t next = __shfl_down_sync(kFullMask, current, 1);
    if (current != kNoRow && (lane == kWarp - 1 || next != current))
        atomicAdd(y + current, alpha * sum);
}

template <class T, int Items, int Block>
void coo_atomic(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const CooStorage<T>&>(storage);
    if (s.rows == 0) return;
    scale(s.rows, beta, y, launch);
    const auto nnz = static_cast<std::int64_t>(s.values.size());
    if (nnz == 0) return;
    const Entries<T> a{nnz, s.row.data(), s.column.data(), s.values.data(), nullptr, nullptr};
    const unsigned blocks = blocks_for(nnz, Block * Items);
    launch_early(coo_atomic_kernel<Items, T>, blocks, Block, launch, a,
                 kept_share<T>(s, s.rows, s.cols), alpha, x, y);
}

using Grid = grid<axis<items, 4, 8, 16>, axis<block, 128, 256, 512>>;
using AtomicGrid = grid<axis<items, 1, 2, 4, 8>, axis<block, 128, 256, 512>>;

/// What a block may have of shared memory without asking, less what it has of fixed size.
constexpr std::size_t kSharedBytes = (48 << 10) - 256;

}  // namespace
}  // namespace sptune::cuda

namespace sptune {

void add_cuda_coo_kernels(KernelList<SPTUNE_VALUE>& list) {
    using T = SPTUNE_VALUE;
    for_each_point(cuda::Grid{}, [&]<class Point>(Point p) {
        constexpr int b = Point::template get<cuda::block>();
        constexpr int i = Point::template get<cuda::items>();
        if constexpr (b / cuda::kWarp * cuda::Strip<i, T>::bytes <= cuda::kSharedBytes) {
            add_kernel_for_all_indices<cuda::CooFormat, T>(list, "warp", {}, p.params(),
                                                           &cuda::coo_tiles<T, i, false, b>);
            add_kernel_for_all_indices<cuda::CooFormat, T>(list, "block", {}, p.params(),
                                                           &cuda::coo_tiles<T, i, true, b>);
        }
    });
    for_each_point(cuda::AtomicGrid{}, [&]<class Point>(Point p) {
        constexpr int b = Point::template get<cuda::block>();
        constexpr int i = Point::template get<cuda::items>();
        add_kernel_for_all_indices<cuda::CooFormat, T>(list, "atomic", {}, p.params(),
                                                       &cuda::coo_atomic<T, i, b>, false);
    });
}

}  // namespace sptune
