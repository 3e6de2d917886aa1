// Block matrices for benchmarks, made on the GPU.
#pragma once

#include "kernels/spgemm/blocks/block_matrix.hpp"

#include <cstdint>

namespace sptune::bench {

/// n × n in blocks of m, each there with the probability `share`, filled with numbers in (-1, 1) or
/// whole ones below 2^16. The same for the same seed.
template <class V>
cuda::BlockMatrix<V> random_blocks(index_t n, int m, double share, std::uint64_t seed);

/// Multiply-adds of A·B.
template <class V>
double multiply_adds(const cuda::BlockMatrix<V>& a, const cuda::BlockMatrix<V>& b);

/// Block row `row` of a, as a matrix of m rows.
template <class V>
cuda::BlockMatrix<V> block_row_of(const cuda::BlockMatrix<V>& a, index_t row);

/// Largest |x - y| / (|y| + scale).
template <class V>
double largest_difference(const V* x, const V* y, std::int64_t size, double scale);

}  // namespace sptune::bench
