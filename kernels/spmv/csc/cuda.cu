// CSC on the GPU: y += column · x_j with atomic additions, whose order, and so whose rounding, is
// another one every time. Wins where there are few rows: y stays in L2 and x is read once, in
// order.
#include "kernels/cuda/axes.hpp"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/matrix_load.cuh"
#include "kernels/cuda/residency.hpp"
#include "kernels/cuda/scale.cuh"
#include "kernels/kernel_list.hpp"
#include "kernels/spmv/csc/cuda_format.hpp"

namespace sptune::cuda {
namespace {

/// threads that share a column
struct column_threads {
    static constexpr const char* name = "t";
};

constexpr int kMaxBlock = 512;

template <int Threads, class T>
__global__ void __launch_bounds__(kMaxBlock)
    csc_scatter_kernel(index_t cols, unsigned kept, const std::int64_t* __restrict__ col_ptr,
                       const index_t* __restrict__ row, const T* __restrict__ values, T alpha,
                       const T* __restrict__ x, T* __restrict__ y) {
    const MatrixLoad load(kept);
    const std::int64_t j = global_thread() / Threads;
    if (j >= cols) return;
    const std::int64_t end = col_ptr[j + 1];
    std::int64_t k = col_ptr[j] + threadIdx.x % Threads;
    wait_for_previous();
    const T scaled = alpha * x[j];
    for (; k + Threads < end; k += 2 * Threads) {  // two loads in flight
        const T first = load(values + k), second = load(values + k + Threads);
        const index_t i = load(row + k), l = load(row + k + Threads);
        atomicAdd(y + i, first * scaled);
        atomicAdd(y + l, second * scaled);
    }
    if (k < end) atomicAdd(y + load(row + k), load(values + k) * scaled);
}

template <class T, int Threads, int Block>
void csc_scatter(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const CscStorage<T>&>(storage);
    if (s.rows == 0) return;
    scale(s.rows, beta, y, launch);
    if (s.values.empty()) return;
    const unsigned blocks = blocks_for(s.cols, Block / Threads);
    launch_early(csc_scatter_kernel<Threads, T>, blocks, Block, launch, s.cols,
                 kept_share<T>(s, s.rows, s.cols), s.col_ptr.data(), s.row.data(), s.values.data(),
                 alpha, x, y);
}

using Grid = grid<axis<column_threads, 1, 4, 16, 32>, axis<block, 128, 256, 512>>;

}  // namespace
}  // namespace sptune::cuda

namespace sptune {

void add_cuda_csc_kernels(KernelList<SPTUNE_VALUE>& list) {
    using T = SPTUNE_VALUE;
    for_each_point(cuda::Grid{}, [&]<class Point>(Point p) {
        constexpr int t = Point::template get<cuda::column_threads>();
        constexpr int b = Point::template get<cuda::block>();
        add_kernel_for_all_indices<cuda::CscFormat, T>(list, "scatter", {}, p.params(),
                                                       &cuda::csc_scatter<T, t, b>, false);
    });
}

}  // namespace sptune
