// Strips of columns on the GPU, one after the other. In tiles: a warp adds a tile of entries, and
// what a lane ends of a row is added to y atomically, so that rounding differs from call to call.
// In rows: a strip is added as a CSR matrix is, before the next begins; not for skewed rows.
#include "kernels/cuda/axes.hpp"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/residency.hpp"
#include "kernels/cuda/scale.cuh"
#include "kernels/kernel_list.hpp"
#include "kernels/spmv/csr/vector.cuh"
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
void strips_tiles(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const StripsStorage<T>&>(storage);
    if (s.rows == 0) return;
    scale(s.rows, beta, y, launch);
    const std::int64_t tiles = s.entries.tiles;
    if (tiles == 0) return;
    launch_early(strips_kernel<T>, blocks_for(tiles * kWarp, Block), Block, launch,
                 Tiles<T, std::uint32_t>(s.entries), kept_share<T>(s, s.rows, s.cols), alpha, x, y);
}

template <class T, int Threads, int Block>
void strips_rows(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const StripRowsStorage<T>&>(storage);
    if (s.rows == 0) return;
    const unsigned kept = kept_share<T>(s, s.rows, s.cols);
    for (int strip = 0; strip < s.strips; ++strip) {
        const CsrView<T, std::int32_t> a{s.rows, s.cols,
                                         s.row_ptr.data() + std::int64_t{strip} * s.rows,
                                         s.column.data(), s.values.data()};
        launch_early(csr_vector_kernel<T, std::int32_t, Threads>,
                     blocks_for(s.rows, Block / Threads), Block, launch, a, kept,
                     Epilogue<T>{alpha, strip == 0 ? beta : T{1}}, x, y);
    }
}

/// MiB of x for each strip.
struct mebibytes {
    static constexpr const char* name = "m";
};
using Widths = grid<axis<mebibytes, 8, 16, 24, 32>>;
using TileGrid = grid<axis<block, 256, 512>>;
using RowGrid = grid<axis<row_threads, 1, 2, 4>, axis<block, 256, 512>>;

}  // namespace
}  // namespace sptune::cuda

namespace sptune {

void add_cuda_strips_kernels(KernelList<SPTUNE_VALUE>& list) {
    using T = SPTUNE_VALUE;
    using Format = cuda::StripsFormat;
    for_each_point(cuda::Widths{}, [&]<class Width>(Width width) {
        Params tiles = width.params(), rows = width.params();
        tiles.push_back({"o", 1});
        rows.push_back({"o", 2});
        for_each_point(cuda::TileGrid{}, [&]<class Point>(Point p) {
            constexpr int b = Point::template get<cuda::block>();
            add_kernel_for_all_indices<Format, T>(list, "tiles", tiles, p.params(),
                                                  &cuda::strips_tiles<T, b>, false);
        });
        for_each_point(cuda::RowGrid{}, [&]<class Point>(Point p) {
            constexpr int b = Point::template get<cuda::block>();
            constexpr int t = Point::template get<cuda::row_threads>();
            add_kernel_for_all_indices<Format, T>(list, "rows", rows, p.params(),
                                                  &cuda::strips_rows<T, t, b>);
        });
    });
}

}  // namespace sptune
