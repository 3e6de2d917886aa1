#include "kernels/cuda/primitives.hpp"
#include "kernels/cuda/rows_of_entries.hpp"
#include "kernels/spgemm/blocks/tiles.cuh"
#include "matrix/cuda/check.hpp"
#include "matrix/cuda/grid.hpp"
#include "matrix/cuda/per_device.hpp"
#include "matrix/partition_point.hpp"

#include <limits>

namespace sptune::cuda {
namespace {

constexpr int kThreads = 256;

/// A thread per word: which tiles there are, found by bisection in the block row.
template <class V>
__global__ void index_tiles(BlockView<V> a, index_t words, unsigned* bits, unsigned* first) {
    const std::int64_t n = global_thread();
    if (n >= std::int64_t{a.block_rows} * words) return;
    const std::int64_t row = n / words, from = n % words * kIndexBits;
    const std::int64_t end = a.row_ptr[row + 1];
    const std::int64_t low = partition_point(std::int64_t{a.row_ptr[row]}, end,
                                             [&](std::int64_t k) { return a.col[k] < from; });
    unsigned word = 0;
    for (std::int64_t k = low; k < end && a.col[k] < from + kIndexBits; ++k)
        word |= 1u << (a.col[k] - from);
    bits[n] = word;
    first[n] = static_cast<unsigned>(low);
}

template <class V>
__global__ void copy_tiles(const V* from, std::int64_t size, bool transpose, V* to) {
    const std::int64_t n = global_thread();
    if (n >= size) return;
    const int at = static_cast<int>(n % kTileSize);
    to[n] = from[transpose ? n - at + at % kTile * kTile + at / kTile : n];
}

template <class V>
TileView<V> view_of(const TileMatrix<V>& a) {
    return {a.tile_rows, a.words, a.bits.data(), a.first.data(), a.values.data()};
}

}  // namespace

template <class V>
TileMatrix<V> tiles_of(const BlockMatrix<V>& a, Side side, bool pattern) {
    if (a.m != kTile) throw Error("tiles are made of blocks of 8 x 8");
    if (a.blocks() > std::numeric_limits<std::uint32_t>::max())
        throw Error("2^32 tiles or more are not supported");
    TileMatrix<V> t;
    t.rows = a.rows;
    t.cols = a.cols;
    t.tile_rows = a.block_rows();
    t.words = a.block_cols() / kIndexBits + 1;  // so that a block at the edge finds a word, too
    t.bits = DeviceBuffer<unsigned>(static_cast<std::size_t>(t.tile_rows) *
                                    static_cast<std::size_t>(t.words));
    t.first = DeviceBuffer<unsigned>(t.bits.size());
    if (t.tile_rows > 0) {
        index_tiles<<<blocks_for(static_cast<std::int64_t>(t.bits.size()), kThreads), kThreads>>>(
            a.view(), t.words, t.bits.data(), t.first.data());
        SPTUNE_CUDA_LAUNCHED("index_tiles");
    }
    const auto size = a.blocks() * kTileSize;
    t.values = DeviceBuffer<V>(static_cast<std::size_t>(size));
    if (size > 0) {
        copy_tiles<<<blocks_for(size, kThreads), kThreads>>>(
            pattern ? a.stored.data() : a.values.data(), size, side == Side::right,
            t.values.data());
        SPTUNE_CUDA_LAUNCHED("copy_tiles");
    }
    return t;
}

bool tiles_work() {
    // Of the code that is used on this device, not of the newest that was compiled.
    static PerDevice<bool> works;
    return works.get([] {
        cudaFuncAttributes of_kernel;
        SPTUNE_CUDA(cudaFuncGetAttributes(&of_kernel, tiles_kernel<float>));
        return of_kernel.ptxVersion >= 90;
    });
}

template <class V>
void multiply_tiles(const TileMatrix<V>& a, const TileMatrix<V>& b, V* c) {
    using Work = TileProduct<V, TileShape<V>>;
    if (!tiles_work())
        throw Error(
            "products of tiles need a GPU of compute capability 9.0 or newer, and sptune "
            "compiled for it (-DCMAKE_CUDA_ARCHITECTURES=90): use two-pointers instead");
    if (a.rows == 0 || b.cols == 0) return;
    const unsigned block_rows = blocks_for(a.rows, Work::kRows * kTile);
    const unsigned block_cols = blocks_for(b.cols, Work::kCols * kTile);
    const auto kernel = tiles_kernel<V>;
    SPTUNE_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     static_cast<int>(Work::kShared)));
    kernel<<<block_rows * block_cols, Work::kThreads, Work::kShared>>>(
        view_of(a), view_of(b), block_rows, block_cols, a.rows, b.cols, c);
    SPTUNE_CUDA_LAUNCHED("tiles_kernel");
}

#define SPTUNE_INSTANTIATE(V)                                           \
    template TileMatrix<V> tiles_of(const BlockMatrix<V>&, Side, bool); \
    template void multiply_tiles(const TileMatrix<V>&, const TileMatrix<V>&, V*);
SPTUNE_INSTANTIATE(float)
SPTUNE_INSTANTIATE(double)
SPTUNE_INSTANTIATE(std::uint32_t)

}  // namespace sptune::cuda
