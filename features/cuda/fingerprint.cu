#include "features/cuda/features.hpp"
#include "features/cuda/sums.hpp"
#include "features/fingerprint.hpp"
#include "matrix/cuda/check.hpp"
#include "matrix/cuda/device.cuh"
#include "matrix/cuda/device_buffer.hpp"
#include "matrix/cuda/grid.hpp"

#include <algorithm>

namespace sptune {
namespace cuda {
namespace {

constexpr int kThreads = 256;

template <class P>
__global__ void __launch_bounds__(kThreads)
    add_terms(const P* row_ptr, const index_t* col_idx, std::int64_t pointers, std::int64_t nnz,
              count_t* sum) {
    __shared__ count_t scratch[kThreads / kWarp];
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * kThreads;
    count_t own = 0;
#pragma unroll 8
    for (std::int64_t k = global_thread(); k < nnz; k += step)
        own +=
            column_term(stream_load(col_idx + k), static_cast<std::uint64_t>(k + 1) * kColumnStep);
#pragma unroll 4
    for (std::int64_t i = global_thread(); i < pointers; i += step)
        own += pointer_term(stream_load(row_ptr + i), i);
    own = block_sum<kThreads>(own, scratch);
    if (threadIdx.x == 0) atomicAdd(sum, own);
}

}  // namespace
}  // namespace cuda

template <class T, class P>
std::uint64_t fingerprint_on_device(CsrView<T, P> a) {
    const std::int64_t nnz = a.nnz(), pointers = a.rows ? std::int64_t{a.rows} + 1 : 0;
    if (pointers == 0) return finish_fingerprint(0, a.rows, a.cols, nnz);
    DeviceBuffer<cuda::count_t> sum(1);
    sum.fill_bytes(0);
    const unsigned blocks = std::min(cuda::blocks_for(std::max(nnz, pointers), cuda::kThreads),
                                     static_cast<unsigned>(8 * cuda::multiprocessors()));
    cuda::add_terms<<<blocks, cuda::kThreads>>>(a.row_ptr, a.col_idx, pointers, nnz, sum.data());
    SPTUNE_CUDA_LAUNCHED("add_terms");
    return finish_fingerprint(sum.at(0), a.rows, a.cols, nnz);
}

#define SPTUNE_INSTANTIATE(T, P) template std::uint64_t fingerprint_on_device(CsrView<T, P>);
SPTUNE_FOR_ALL_TYPES(SPTUNE_INSTANTIATE)

}  // namespace sptune
