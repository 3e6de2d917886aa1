// Strips of columns on the GPU: a warp adds a tile of entries, those of a strip before those of the
// next. Rows that a lane ends are added to y atomically, so that rounding differs from call to
// call.
#include "kernels/cuda/axes.hpp"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/residency.hpp"
#include "kernels/cuda/scale.cuh"
#include "kernels/kernel_list.hpp"
#include "kernels/spmv/hub/entry_tiles.cuh"
#include "kernels/spmv/strips/cuda_format.hpp"

namespace sptune::cuda {
namespace {

template <class T>
__global__ void strips_kernel(Tiles<T, std::uint32_t> a, unsigned kept, T alpha,
                              const T* __restrict__ x, T* __restrict__ y) {
    const MatrixLoad load(kept);
    const std::int64_t tile = global_thread() / kWarp;
    wait_for_previous();
    if (tile >= a.tiles) return;
    add_tile(
        load, a, tile, [&](std::uint32_t column) { return gather(x, column); }, alpha, y);
}

template <class T, int Block>
void strips(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const StripsStorage<T>&>(storage);
    if (s.rows == 0) return;
    scale(s.rows, beta, y, launch);
    const std::int64_t tiles = s.entries.tiles;
    if (tiles == 0) return;
    launch_early(strips_kernel<T>, blocks_for(tiles * kWarp, Block), Block, launch,
                 Tiles<T, std::uint32_t>(s.entries), kept_share<T>(s, s.rows, s.cols), alpha, x, y);
}

/// MiB of x for each strip.
struct mebibytes {
    static constexpr const char* name = "m";
};
using Layouts = grid<axis<mebibytes, 8, 16, 24, 32>>;
using Grid = grid<axis<block, 256, 512>>;

}  // namespace
}  // namespace sptune::cuda

namespace sptune {

void add_cuda_strips_kernels(KernelList<SPTUNE_VALUE>& list) {
    using T = SPTUNE_VALUE;
    for_each_point(cuda::Layouts{}, [&]<class Layout>(Layout layout) {
        for_each_point(cuda::Grid{}, [&]<class Point>(Point p) {
            add_kernel_for_all_indices<cuda::StripsFormat, T>(
                list, "tiles", layout.params(), p.params(),
                &cuda::strips<T, Point::template get<cuda::block>()>, false);
        });
    });
}

}  // namespace sptune
