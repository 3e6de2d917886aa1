// HDIA on the GPU: a thread or several per row. A warp reads one column for each diagonal of its
// slice, and neighbouring entries of x.
#include "kernels/cuda/axes.hpp"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/matrix_load.cuh"
#include "kernels/cuda/residency.hpp"
#include "kernels/kernel_list.hpp"
#include "kernels/spmv/hdia/cuda_format.hpp"
#include "kernels/spmv/hdia/grid.hpp"
#include "kernels/spmv/slice_parts.cuh"

namespace sptune::cuda {
namespace {

template <class T>
struct HdiaView {
    index_t rows, slices;
    const std::int64_t* slice_ptr;
    const std::int64_t* run_ptr;
    const index_t* start;
    const index_t* column;
    const T* values;
};

/// A slice as row r sees it: values and columns C apart.
template <class T>
struct SliceRow {
    const T* __restrict__ values;
    const index_t* __restrict__ start;
    const index_t* __restrict__ column;
    index_t runs, width;  ///< diagonals; these and the columns of the rest
    int r;

    /// The column of x for stored column j. Both cases are one load, so that those of several j,
    /// whatever they are, can be on their way together.
    template <int C>
    __device__ __forceinline__ index_t column_of(index_t j) const {
        const bool on = j < runs;
        return __ldg(on ? start + j : column + static_cast<std::int64_t>(j - runs) * C) +
               (on ? r : 0);
    }
};

/// Σ over j = part, part + Threads, … < width of the stored values times their entries of x.
template <int C, int Threads, class T>
__device__ __forceinline__ T slice_dot(MatrixLoad load, const SliceRow<T>& s, index_t part,
                                       const T* __restrict__ x) {
    constexpr int kUnroll = 4;
    T sum{0};
    for (index_t j = part; j < s.width; j += kUnroll * Threads) {
        T value[kUnroll];
        index_t from[kUnroll];
#pragma unroll
        for (int u = 0; u < kUnroll; ++u) {
            const index_t k = j + u * Threads;
            const bool there = k < s.width;
            from[u] = there ? s.template column_of<C>(k) : -1;
            value[u] = load.when(there, s.values + static_cast<std::int64_t>(k) * C, T{0});
        }
#pragma unroll
        for (int u = 0; u < kUnroll; ++u)
            if (from[u] >= 0) sum += value[u] * gather(x, from[u]);
    }
    return sum;
}

template <class T, int C, int Threads>
__global__ void __launch_bounds__(1024) hdia_kernel(HdiaView<T> s, unsigned kept, Epilogue<T> out,
                                                    const T* __restrict__ x, T* __restrict__ y) {
    wait_for_previous();
    const MatrixLoad load(kept);
    const auto [slice, r, part, active] = SlicePlace<C, Threads>(s.slices);
    T sum{0};
    if (active) {
        const std::int64_t begin = s.slice_ptr[slice], first_run = s.run_ptr[slice];
        const SliceRow<T> row{s.values + begin + r,
                              s.start + first_run,
                              s.column + (begin - first_run * C) + r,
                              static_cast<index_t>(s.run_ptr[slice + 1] - first_run),
                              static_cast<index_t>((s.slice_ptr[slice + 1] - begin) / C),
                              r};
        sum = slice_dot<C, Threads>(load, row, part, x);
    }
    sum = sum_parts<C, Threads>(sum);
    const std::int64_t i = slice * C + r;
    if (active && part == 0 && i < s.rows) out.store(sum, y + i);
}

template <class T, int C, int Threads, int Block>
void hdia_slices(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const HdiaStorage<T>&>(storage);
    if (s.rows == 0) return;
    const HdiaView<T> view{s.rows,         s.slices,        s.slice_ptr.data(), s.run_ptr.data(),
                           s.start.data(), s.column.data(), s.values.data()};
    constexpr int here = Block / (C * Threads);
    const LaunchShape shape{blocks_for(s.slices, here), Block, part_bytes<C, Threads, T>(Block)};
    launch_early(hdia_kernel<T, C, Threads>, shape, stream_of(launch), view,
                 kept_share<T>(s, s.rows, s.cols), Epilogue<T>{alpha, beta}, x, y);
}

using Layouts = grid<axis<chunk_rows, 32, 64>, axis<hdia::occupied, 25, 50>>;
using ThreadsGrid = grid<axis<row_threads, 1, 2, 4, 8>, axis<block, 64, 256>>;

void hdia_kernels(KernelList<SPTUNE_VALUE>& list) {
    using T = SPTUNE_VALUE;
    for_each_point(Layouts{}, [&]<class Layout>(Layout layout) {
        for_each_point(ThreadsGrid{}, [&]<class Point>(Point point) {
            constexpr int c = Layout::template get<chunk_rows>();
            constexpr int t = Point::template get<row_threads>(), b = Point::template get<block>();
            if constexpr (worthwhile_parts(c, t, b))
                add_kernel_for_all_indices<HdiaFormat, T>(list, "slices", layout.params(),
                                                          point.params(), &hdia_slices<T, c, t, b>);
        });
    });
}

}  // namespace
}  // namespace sptune::cuda

namespace sptune {

void add_cuda_hdia_kernels(KernelList<SPTUNE_VALUE>& list) {
    cuda::hdia_kernels(list);
}

}  // namespace sptune
