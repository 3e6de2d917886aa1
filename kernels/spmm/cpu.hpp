// Y = αAX + βY on the CPU for several vectors at once (SpMM): A is read once for as many as the
// registers have room for, and the entries of all vectors that one of A is multiplied with lie
// together in memory. A stays as it is.
#pragma once

#include "kernels/spmm/vectors.hpp"
#include "matrix/buffer.hpp"
#include "matrix/csr.hpp"

#include <cstddef>

namespace sptune {

/// Sums of a row are in so many vector registers at most.
inline constexpr std::size_t kManyRegisters = 4;

/// Memory to work with. One call at a time may use it; the next one finds it as large as it needs.
template <class T>
struct ManyScratch {
    Buffer<T> packed;   ///< entries of x of a pass row by row, where the caller has them otherwise
    Buffer<T> carried;  ///< of each thread: what it found of the row that it did not finish

    std::size_t bytes() const { return packed.bytes() + carried.bytes(); }
};

/// Upper bound of what a call makes of the scratch, in bytes.
template <class T>
std::size_t most_scratch_bytes(index_t cols, bool by_rows, int threads);

/// x has a.cols rows, y a.rows, and they do not overlap. β = 0 never reads y. Repeats with the same
/// number of threads give the same bits. Throws OutOfMemory where the scratch cannot grow.
template <class T, class P>
void multiply_many(CsrView<T, P> a, T alpha, Vectors<const T> x, T beta, Vectors<T> y,
                   std::size_t count, ManyScratch<T>& scratch, int threads);

}  // namespace sptune
