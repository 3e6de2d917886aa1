// Y = αAX + βY on the GPU for several vectors at once (SpMM), A as it stands.
#pragma once

#include "kernels/spmm/vectors.hpp"
#include "matrix/csr.hpp"

#include <cstddef>

namespace sptune::cuda {

/// Everything in device memory; fast where x and y lie row by row. x has a.cols rows, y a.rows, and
/// they do not overlap. β = 0 never reads y. Repeats give the same bits. Enqueues to the
/// cudaStream_t `stream`. Throws CudaError.
template <class T, class P>
void multiply_many(CsrView<T, P> a, T alpha, Vectors<const T> x, T beta, Vectors<T> y,
                   std::size_t count, void* stream);

}  // namespace sptune::cuda
