// How a warp adds a tile of entries.
#pragma once

#include "kernels/cuda/device.cuh"
#include "kernels/spmv/hub/entry_tiles.hpp"
#include "kernels/spmv/lane_sums.cuh"
#include "kernels/spmv/strip_load.cuh"

namespace sptune::cuda {

template <class T, class Code>
struct Tiles {
    std::int64_t tiles;
    const Code* code;
    const T* values;
    const index_t* row;
    const std::int32_t* open;

    explicit Tiles(const EntryTiles<T, Code>& t)
        : tiles(t.tiles),
          code(t.code.data()),
          values(t.values.data()),
          row(t.row.data()),
          open(t.open.data()) {}
};

/// Adds α times the sums of a tile to y. `x_of` fetches what a code stands for. All lanes take
/// part.
template <class T, class Code, class XOf>
__device__ __forceinline__ void add_tile(MatrixLoad load, const Tiles<T, Code>& a,
                                         std::int64_t tile, XOf x_of, T alpha, T* y) {
    constexpr int Items = kTileItems;
    constexpr Code kBegins = EntryTiles<T, Code>::kBegins;
    const int lane = static_cast<int>(threadIdx.x) % kWarp;
    const std::int64_t first = tile * kTileEntries + lane * Items;
    Code code[Items];
    T product[Items];
    load_strip(load, a.code + first, Items, Code{0}, code);
    load_strip(load, a.values + first, Items, T{0}, product);
    int begun = 0;
#pragma unroll
    for (int i = 0; i < Items; ++i) {
        begun += (code[i] & kBegins) != 0;
        product[i] *= x_of(code[i] & static_cast<Code>(~kBegins));
    }
    int before = begun;  // rows begun up to the end of this lane
#pragma unroll
    for (int offset = 1; offset < kWarp; offset *= 2) {
        const int left = __shfl_up_sync(kFullMask, before, offset);
        if (lane >= offset) before += left;
    }
    int open = a.open[tile] + before - begun;
    // All rows before the first use of one: a lane waits once, not at each row.
    index_t ended[Items];
#pragma unroll
    for (int i = 0; i < Items; ++i) {
        ended[i] = -1;
        if (code[i] & kBegins) {
            if (open >= 0) ended[i] = __ldg(a.row + open);
            ++open;
        }
    }
    const index_t goes_on = lane == kWarp - 1 && open >= 0 ? __ldg(a.row + open) : -1;

    T sum{0}, first_sum{0};
    index_t first_row = -1;  // which ends in this lane, begun before it
    bool ends = false;
#pragma unroll
    for (int i = 0; i < Items; ++i) {
        if (code[i] & kBegins) {
            if (!ends)
                first_sum = sum, first_row = ended[i], ends = true;
            else
                atomicAdd(y + ended[i], alpha * sum);
            sum = T{0};
        }
        sum += product[i];
    }
    const LaneSums<T> sums = collect_open_sums(sum, __ballot_sync(kFullMask, ends), lane);
    if (first_row >= 0) atomicAdd(y + first_row, alpha * (first_sum + sums.before));
    if (goes_on >= 0) atomicAdd(y + goes_on, alpha * sums.rest);
}

}  // namespace sptune::cuda
