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
/// Of GPU memory: some 16 for each row where rows differ.
std::uint64_t bytes_of(const RowLengths& lengths);

/// Everything in device memory; x and y both row by row, or both one by one. x has a.cols rows, y
/// a.rows, and they do not overlap. β = 0 never reads y. Without `lengths` the same numbers give
/// the same bits wherever they lie, but long rows take long and loads are narrow; with them long
/// rows are shared out, and what has a part adds to y in any order. Enqueues to the cudaStream_t
/// `stream`. Throws CudaError.
template <class T, class P>
void multiply_many(CsrView<T, P> a, T alpha, Vectors<const T> x, T beta, Vectors<T> y,
                   std::size_t count, const RowLengths* lengths, void* stream);

/// What calls copy vectors to: one thread at a time, in any streams.
class PackMemory;
std::shared_ptr<PackMemory> make_pack_memory();
/// Of GPU memory.
std::uint64_t bytes_of(const PackMemory& memory);

/// The same for x and y one by one, by way of copies row by row of up to 32 vectors at a time.
/// Calls in other streams wait for each other. Not while a graph is recorded. Throws OutOfMemory
/// before anything is enqueued.
template <class T, class P>
void multiply_many_copied(CsrView<T, P> a, T alpha, Vectors<const T> x, T beta, Vectors<T> y,
                          std::size_t count, const RowLengths& lengths, PackMemory& memory,
                          void* stream);

}  // namespace sptune::cuda
