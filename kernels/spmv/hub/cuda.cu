// Hub columns on the GPU: as many blocks as multiprocessors, each with a band of x in shared memory
// at a time. Rows that a lane ends are added to y atomically, so that rounding differs from call to
// call.
#include "kernels/cuda/axes.hpp"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/residency.hpp"
#include "kernels/cuda/scale.cuh"
#include "kernels/kernel_list.hpp"
#include "kernels/spmv/hub/cuda_format.hpp"
#include "kernels/spmv/hub/entry_tiles.cuh"
#include "matrix/cuda/per_device.hpp"

namespace sptune::cuda {
namespace {

constexpr int kBlock = 1024;  // one for each multiprocessor
constexpr int kWarps = kBlock / kWarp;

template <class T>
struct Shares {
    const HubShare* share;
    const std::int32_t* share_ptr;
    const index_t* hub;
};

/// x of the hub columns of a share into `band`, by a block.
template <class T>
__device__ void fetch_band(const T* __restrict__ x, const index_t* __restrict__ hub, int columns,
                           T* band) {
    constexpr int kAtOnce = 8;  // of a thread: each waits for two loads, one after the other
    for (int begin = static_cast<int>(threadIdx.x); begin < columns; begin += kBlock * kAtOnce) {
        index_t column[kAtOnce];
#pragma unroll
        for (int u = 0; u < kAtOnce; ++u)
            column[u] = begin + u * kBlock < columns ? __ldg(hub + begin + u * kBlock) : 0;
        T fetched[kAtOnce];
#pragma unroll
        for (int u = 0; u < kAtOnce; ++u) fetched[u] = gather(x, column[u]);
#pragma unroll
        for (int u = 0; u < kAtOnce; ++u)
            if (begin + u * kBlock < columns) band[begin + u * kBlock] = fetched[u];
    }
}

/// How many of the tiles [begin, end) a warp adds that takes the first of every `step`.
__device__ __forceinline__ std::int64_t tiles_of(std::int64_t begin, std::int64_t end,
                                                 std::int64_t step) {
    return begin < end ? (end - begin + step - 1) / step : 0;
}

/// Each warp adds its part of the cold tiles in between: while it waits for memory, others gather
/// from shared memory. A kernel of its own for them was slower (bench/results/2026-11-28-hub.md).
template <class T>
__global__ void __launch_bounds__(kBlock)
    hub_kernel(Shares<T> shares, Tiles<T, std::uint16_t> hot, Tiles<T, std::uint32_t> cold,
               unsigned kept, T alpha, const T* __restrict__ x, T* __restrict__ y) {
    extern __shared__ __align__(16) unsigned char memory[];
    T* const band = reinterpret_cast<T*>(memory);
    const MatrixLoad load(kept);
    const int warp = static_cast<int>(threadIdx.x) / kWarp;
    const std::int32_t first = shares.share_ptr[blockIdx.x],
                       last = shares.share_ptr[blockIdx.x + 1];

    const std::int64_t step = std::int64_t{gridDim.x} * kWarps;
    std::int64_t cold_tile = std::int64_t{blockIdx.x} * kWarps + warp, cold_done = 0, hot_done = 0,
                 hot_tiles = 0;
    const std::int64_t cold_tiles = tiles_of(cold_tile, cold.tiles, step);
    for (std::int32_t s = first; s < last; ++s)
        hot_tiles += tiles_of(shares.share[s].begin + warp, shares.share[s].end, kWarps);
    const auto add_cold = [&](std::int64_t until) {
        for (; cold_done < until; ++cold_done, cold_tile += step)
            add_tile(
                load, cold, cold_tile, [&](std::uint32_t c) { return gather(x, c); }, alpha, y);
    };

    for (std::int32_t s = first; s < last; ++s) {
        const HubShare share = shares.share[s];
        if (s > first) __syncthreads();  // the band before is still in use
        fetch_band(x, shares.hub + share.column, share.columns, band);
        __syncthreads();
        if (s == first) wait_for_previous();
        for (std::int64_t tile = share.begin + warp; tile < share.end; tile += kWarps) {
            add_tile(
                load, hot, tile, [&](std::uint16_t c) { return band[c]; }, alpha, y);
            add_cold(cold_tiles * ++hot_done / hot_tiles);
        }
    }
    if (first == last) wait_for_previous();
    add_cold(cold_tiles);
}

template <class T>
void hub(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const HubStorage<T>&>(storage);
    if (s.rows == 0) return;
    const auto kernel = &hub_kernel<T>;
    static PerDevice<bool> allowed;
    allowed.get([&] {
        SPTUNE_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                         static_cast<int>(most_shared_bytes())));
        return true;
    });
    scale_in_order(s.rows, beta, y, launch);
    const unsigned kept = kept_share<T>(s, s.rows, s.cols);
    const Tiles<T, std::uint16_t> hot(s.hot);
    const Tiles<T, std::uint32_t> cold(s.cold);
    const LaunchShape shape{dim3(static_cast<unsigned>(s.blocks)), kBlock,
                            static_cast<std::size_t>(s.band) * sizeof(T)};
    launch_early(kernel, shape, stream_of(launch),
                 Shares<T>{s.share.data(), s.share_ptr.data(), s.hub.data()}, hot, cold, kept,
                 alpha, x, y);
}

/// bands of columns, and columns of each
struct bands {
    static constexpr const char* name = "n";
};
struct columns {
    static constexpr const char* name = "k";
};
using Layouts = grid<axis<bands, 1, 2, 4, 8>, axis<columns, 8192, 16384, 24576, 32768>>;

}  // namespace
}  // namespace sptune::cuda

namespace sptune {

void add_cuda_hub_kernels(KernelList<SPTUNE_VALUE>& list) {
    using T = SPTUNE_VALUE;
    // In shared memory, which takes room of the L1 cache: gathers beside the bands need it.
    constexpr int kLeastBytes = 64 << 10, kMostBytes = 128 << 10;
    for_each_point(cuda::Layouts{}, [&]<class Point>(Point p) {
        constexpr int k = Point::template get<cuda::columns>();
        constexpr auto bytes = k * static_cast<int>(sizeof(T));
        static_assert(k <= cuda::kMostHubColumns);
        if constexpr (bytes >= kLeastBytes && bytes <= kMostBytes) {
            add_kernel_for_all_indices<cuda::HubFormat, T>(list, "bands", p.params(), {},
                                                           &cuda::hub<T>, false);
        }
    });
}

}  // namespace sptune
