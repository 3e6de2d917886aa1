// A few threads for each row of a CSR matrix.
#pragma once

#include "kernels/cuda/device.cuh"
#include "kernels/cuda/matrix_load.cuh"
#include "matrix/csr.hpp"

namespace sptune::cuda {

namespace {  // each source has its own: docs/add-a-format.md

/// `Threads` neighbouring threads share a row. Launched early.
template <class T, class P, int Threads>
__global__ void csr_vector_kernel(CsrView<T, P> a, unsigned kept, Epilogue<T> out,
                                  const T* __restrict__ x, T* __restrict__ y) {
    wait_for_previous();
    const MatrixLoad load(kept);
    const std::int64_t i = global_thread() / Threads;
    const int lane = threadIdx.x % Threads;
    T sum{0};
    if (i < a.rows) {
        const P begin = a.row_ptr[i];
        P k = begin + lane, left = a.row_ptr[i + 1] - begin - lane;  // k may pass what P can hold
        for (; left > Threads; left -= 2 * Threads, k += 2 * Threads) {  // two loads in flight
            const T first = load(a.values + k), second = load(a.values + k + Threads);
            const index_t j = load(a.col_idx + k);
            const index_t l = load(a.col_idx + k + Threads);
            sum += first * gather(x, j);
            sum += second * gather(x, l);
        }
        if (left > 0) sum += load(a.values + k) * gather(x, load(a.col_idx + k));
    }
    sum = group_sum<Threads>(sum);
    if (lane == 0 && i < a.rows) out.store(sum, y + i);
}

}  // namespace
}  // namespace sptune::cuda
