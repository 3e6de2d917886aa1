// Y = αAX + βY on the GPU for several vectors at once (SpMM), A as it stands.
#pragma once

#include "kernels/spmm/vectors.hpp"
#include "matrix/csr.hpp"

#include <cstddef>
#include <memory>

namespace sptune::cuda {

/// How long the rows of a matrix are, and its long ones in pieces.
struct RowLengths;
/// In the default stream; waits for it. Throws CudaError, OutOfMemory.
template <class P>
std::shared_ptr<const RowLengths> look_at_rows(const P* row_ptr, index_t rows);

/// Everything in device memory; x and y both row by row, or both one by one. x has a.cols rows, y
/// a.rows, and they do not overlap. β = 0 never reads y. Without `lengths` the same numbers give
/// the same bits wherever they lie, but long rows take long and loads are narrow; with them long
/// rows are shared by many blocks, which add to y in any order. Enqueues to the cudaStream_t
/// `stream`. Throws CudaError.
template <class T, class P>
void multiply_many(CsrView<T, P> a, T alpha, Vectors<const T> x, T beta, Vectors<T> y,
                   std::size_t count, const RowLengths* lengths, void* stream);

}  // namespace sptune::cuda
