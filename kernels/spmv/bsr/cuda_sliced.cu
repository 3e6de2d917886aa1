// BSR on the GPU in slices: a thread per row.
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/residency.hpp"
#include "kernels/spmv/bsr/cuda_format.hpp"
#include "kernels/spmv/bsr/cuda_grid.hpp"
#include "kernels/spmv/bsr/sweep.cuh"

namespace sptune::cuda {
namespace {

/// A thread per row, `Unroll` blocks at once.
template <int R, int C, int Unroll, class T>
__global__ void __launch_bounds__(kMaxBlock)
    bsr_sliced_kernel(index_t rows, unsigned kept, const std::int64_t* __restrict__ slice_ptr,
                      const std::int32_t* __restrict__ length, const index_t* __restrict__ column,
                      const T* __restrict__ values, Epilogue<T> out, const T* __restrict__ x,
                      T* __restrict__ y) {
    wait_for_previous();
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

template <class T, int R, int C, int Unroll, int Block>
void bsr_sliced(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const BsrSlicedStorage<T>&>(storage);
    if (s.rows == 0) return;
    const unsigned blocks = blocks_for(s.rows, Block);
    launch_early(bsr_sliced_kernel<R, C, Unroll, T>, blocks, Block, launch, s.rows,
                 kept_share<T>(s, s.rows, s.cols), s.slice_ptr.data(), s.length.data(),
                 s.column.data(), s.values.data(), Epilogue<T>{alpha, beta}, x, y);
}

using SlicedGrid = grid<axis<unroll, 1, 2, 4>, BsrBlocks>;

/// Values of the blocks in flight, at most: more cost registers and hide no more latency.
constexpr int kMaxInFlight = 12;

template <class T>
void add_all(KernelList<T>& list) {
    for_each_block_size([&]<int R, int C> {
        for_each_point(SlicedGrid{}, [&]<class Point>(Point p) {
            constexpr int u = Point::template get<unroll>(), b = Point::template get<block>();
            if constexpr (u == 1 || u * C <= kMaxInFlight)
                add_kernel_for_all_indices<BsrSlicedFormat, T>(
                    list, "sliced", {{"r", R}, {"c", C}, {"s", kBsrSlice}}, p.params(),
                    &bsr_sliced<T, R, C, u, b>);
        });
    });
}

}  // namespace

void add_bsr_sliced(KernelList<SPTUNE_VALUE>& list) {
    add_all<SPTUNE_VALUE>(list);
}

}  // namespace sptune::cuda
