// CSR on the GPU as it is: a thread for each row, or a few.
#include "kernels/cuda/axes.hpp"
#include "kernels/cuda/launch.hpp"
#include "kernels/cuda/residency.hpp"
#include "kernels/kernel_list.hpp"
#include "kernels/spmv/csr/cuda_format.hpp"
#include "kernels/spmv/csr/cuda_parts.hpp"
#include "kernels/spmv/csr/vector.cuh"

#include <algorithm>

namespace sptune::cuda {
namespace {

template <class T, class P>
__global__ void csr_scalar_kernel(CsrView<T, P> a, Epilogue<T> out, const T* __restrict__ x,
                                  T* __restrict__ y) {
    wait_for_previous();
    const std::int64_t i = global_thread();
    if (i >= a.rows) return;
    T sum{0};
    const P end = a.row_ptr[i + 1];
    for (P k = a.row_ptr[i]; k < end; ++k) sum += a.values[k] * gather(x, a.col_idx[k]);
    out.store(sum, y + i);
}

template <class T, class P>
__global__ void csr_grid_stride_kernel(CsrView<T, P> a, Epilogue<T> out, const T* __restrict__ x,
                                       T* __restrict__ y) {
    wait_for_previous();
    const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (std::int64_t i = global_thread(); i < a.rows; i += stride) {
        T sum{0};
        const P end = a.row_ptr[i + 1];
        for (P k = a.row_ptr[i]; k < end; ++k) sum += a.values[k] * gather(x, a.col_idx[k]);
        out.store(sum, y + i);
    }
}

template <class T, class P, int Block>
void csr_scalar(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const CsrStorage<T, P>&>(storage);
    if (s.a.rows == 0) return;
    const unsigned blocks = blocks_for(s.a.rows, Block);
    launch_early(csr_scalar_kernel<T, P>, blocks, Block, launch, s.a, Epilogue<T>{alpha, beta}, x,
                 y);
}

template <class T, class P, int Block>
void csr_grid_stride(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const CsrStorage<T, P>&>(storage);
    if (s.a.rows == 0) return;
    const unsigned full = static_cast<unsigned>(multiprocessors()) * (kResidentThreads / Block);
    const unsigned blocks = std::min(full, blocks_for(s.a.rows, Block));
    launch_early(csr_grid_stride_kernel<T, P>, blocks, Block, launch, s.a, Epilogue<T>{alpha, beta},
                 x, y);
}

template <class T, class P, int Threads, int Block>
void csr_vector(const Storage& storage, T alpha, const T* x, T beta, T* y, Launch launch) {
    const auto& s = static_cast<const CsrStorage<T, P>&>(storage);
    if (s.a.rows == 0) return;
    const unsigned blocks = blocks_for(s.a.rows, Block / Threads);
    launch_early(csr_vector_kernel<T, P, Threads>, blocks, Block, launch, s.a,
                 kept_share<T>(s, s.a.rows, s.a.cols), Epilogue<T>{alpha, beta}, x, y);
}

using BlockGrid = grid<Blocks>;
using VectorGrid = grid<axis<row_threads, 2, 4, 8, 16, 32>, Blocks>;

template <class T, class P>
void add_all(KernelList<T>& list) {
    for_each_point(BlockGrid{}, [&]<class Point>(Point p) {
        constexpr int b = Point::template get<block>();
        add_kernel<CsrFormat, T, P>(list, "scalar", {}, p.params(), &csr_scalar<T, P, b>);
        add_kernel<CsrFormat, T, P>(list, "gridstride", {}, p.params(), &csr_grid_stride<T, P, b>);
    });
    for_each_point(VectorGrid{}, [&]<class Point>(Point p) {
        add_kernel<CsrFormat, T, P>(
            list, "vector", {}, p.params(),
            &csr_vector<T, P, Point::template get<row_threads>(), Point::template get<block>()>);
    });
}

}  // namespace
}  // namespace sptune::cuda

namespace sptune {

void add_cuda_csr_kernels(KernelList<SPTUNE_VALUE>& list) {
    cuda::add_all<SPTUNE_VALUE, std::int32_t>(list);
    cuda::add_all<SPTUNE_VALUE, std::int64_t>(list);
    cuda::add_csr_tiles_i32_x32(list);
    cuda::add_csr_tiles_i32_x16(list);
    cuda::add_csr_tiles_i64_x32(list);
    cuda::add_csr_tiles_i64_x16(list);
    cuda::add_csr_merge(list);
}

}  // namespace sptune
