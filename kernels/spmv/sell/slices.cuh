// SELL-C-σ on the GPU: one or several threads per row, slices side by side in a block. For each
// width of the columns in a file of its own: a program's first call loads no more than it needs.
#pragma once

#include "kernels/cuda/axes.hpp"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/residency.hpp"
#include "kernels/kernel_list.hpp"
#include "kernels/spmv/padded_dot.cuh"
#include "kernels/spmv/sell/cuda_format.hpp"
#include "kernels/spmv/sell/grid.hpp"
#include "kernels/spmv/slice_parts.cuh"

namespace sptune::cuda {
namespace {

template <class T>
struct SellView {
    index_t rows, slices;
    const std::int64_t* slice_ptr;
    const index_t* order;
    const index_t* column;
    const std::uint16_t* offset;
    const index_t* base;
    const T* values;
};

/// Only where that is faster: on an H100 these take 0.7 of the time in geometric mean. With 32-bit
/// columns f32 would gain on long rows, but take twice as long on short ones; others lose.
template <class T, int Threads, int IndexBits>
constexpr int kSellBlocks = Threads == 1 && IndexBits == 16 && sizeof(T) == 8 ? kFullBlocks : 1;

template <class T, int C, int Threads, int IndexBits>
__global__ void __launch_bounds__(1024, kSellBlocks<T, Threads, IndexBits>)
    sell_kernel(SellView<T> s, unsigned kept, Epilogue<T> out, const T* __restrict__ x,
                T* __restrict__ y) {
    wait_for_previous();
    const MatrixLoad load(kept);
    const auto [slice, r, part, active] = SlicePlace<C, Threads>(s.slices);
    T sum{0};
    if (active) {
        const std::int64_t begin = s.slice_ptr[slice];
        const index_t width = static_cast<index_t>((s.slice_ptr[slice + 1] - begin) / C);
        const auto at = [&](index_t j) { return static_cast<std::int64_t>(j) * C + r; };
        if constexpr (IndexBits == 16)
            sum = padded_dot<Threads>(load, s.values + begin, s.offset + begin, part, width,
                                      x + s.base[slice], at);
        else
            sum = padded_dot<Threads>(load, s.values + begin, s.column + begin, part, width, x, at);
    }
    sum = sum_parts<C, Threads>(sum);
    const std::int64_t k = slice * C + r;
    if (active && part == 0 && k < s.rows) out.store(sum, y + (s.order ? s.order[k] : k));
}

template <class T, int C, int Threads, int IndexBits, int Block>
void sell_slices(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const SellStorage<T>&>(storage);
    if (s.rows == 0) return;
    const SellView<T> view{s.rows,          s.slices,        s.slice_ptr.data(), s.order.data(),
                           s.column.data(), s.offset.data(), s.base.data(),      s.values.data()};
    constexpr int here = Block / (C * Threads);
    const LaunchShape shape{blocks_for(s.slices, here), Block, part_bytes<C, Threads, T>(Block)};
    launch_early(sell_kernel<T, C, Threads, IndexBits>, shape, stream_of(launch), view,
                 kept_share<T>(s, s.rows, s.cols), Epilogue<T>{alpha, beta}, x, y);
}

using ThreadsGrid = grid<axis<row_threads, 1, 2, 4, 8, 16, 32>, axis<block, 64, 256, 1024>>;

/// Those with columns of so many bits.
template <class T, int IndexBits>
void add_slices(KernelList<T>& list) {
    for_each_point(sell::Grid{}, [&]<class Layout>(Layout) {
        constexpr int c = Layout::template get<chunk_rows>();
        if constexpr (Layout::template get<index_bits>() == IndexBits)
            for_each_point(ThreadsGrid{}, [&]<class Point>(Point) {
                constexpr int t = Point::template get<row_threads>(),
                              b = Point::template get<block>();
                if constexpr (worthwhile_parts(c, t, b)) {
                    sell::for_each_sigma(c, [&](int sigma) {
                        add_kernel_for_all_indices<SellFormat, T>(
                            list, "slices", {{"c", c}, {"s", sigma}, {"x", IndexBits}},
                            {{"t", t}, {"b", b}}, &sell_slices<T, c, t, IndexBits, b>);
                    });
                }
            });
    });
}

}  // namespace
}  // namespace sptune::cuda
