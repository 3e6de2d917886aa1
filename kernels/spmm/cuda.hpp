// Y = αAX + βY on the GPU for several vectors at once (SpMM), A as it stands.
#pragma once

#include "kernels/spmm/vectors.hpp"
#include "matrix/csr.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace sptune::cuda {

/// How long the rows of a matrix are, and where they differ pieces of them, sorted.
struct RowLengths;
/// In the default stream; waits for it. Throws CudaError, OutOfMemory.
template <class P>
std::shared_ptr<const RowLengths> look_at_rows(const P* row_ptr, index_t rows);
/// Of GPU memory: some 16 for each row, of a long one for each piece, where rows differ.
std::uint64_t bytes_of(const RowLengths& lengths);

/// Everything in device memory; x and y both row by row, or both one by one. x has a.cols rows, y
/// a.rows, and they do not overlap. β = 0 never reads y. Without `lengths` the same numbers give
/// the same bits wherever they lie, but long rows take long and loads are narrow; with them long
/// rows are shared out, and what has a part adds to y in any order. Enqueues to the cudaStream_t
/// `stream`. Throws CudaError.
template <class T, class P>
void multiply_many(CsrView<T, P> a, T alpha, Vectors<const T> x, T beta, Vectors<T> y,
                   std::size_t count, const RowLengths* lengths, void* stream);

/// Copies of fewer vectors take more than they bring, or as much.
template <class T>
std::size_t fewest_copied(const RowLengths& lengths);
/// Bytes of GPU memory for copies of so many vectors at a time.
template <class T, class P>
std::uint64_t copied_bytes(CsrView<T, P> a, std::size_t at_once);
/// The same for x and y one by one, by way of copies row by row of `at_once` (4, 8, 16 or 32)
/// vectors at a time. `memory`: copied_bytes(), aligned to 256, for as long as this takes.
template <class T, class P>
void multiply_many_copied(CsrView<T, P> a, T alpha, Vectors<const T> x, T beta, Vectors<T> y,
                          std::size_t count, const RowLengths& lengths, std::size_t at_once,
                          void* memory, void* stream);

}  // namespace sptune::cuda
