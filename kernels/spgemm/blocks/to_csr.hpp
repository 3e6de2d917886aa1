// Products of blocks as CSR.
#pragma once

#include "kernels/spgemm/blocks/product.hpp"
#include "matrix/cuda/device_csr.hpp"

namespace sptune::cuda {

/// The entries of `values` where `hits`, of the same shape, is not 0. With a pattern both are made
/// of its blocks of m×m, without one dense and row-major. Columns come out sorted. Throws
/// OutOfMemory and SizeOverflow.
template <class T, class P>
DeviceCsr<T, P> csr_of(const BlockPattern* pattern, int m, index_t rows, index_t cols,
                       const T* values, const T* hits, std::uint64_t memory_bytes);

}  // namespace sptune::cuda
