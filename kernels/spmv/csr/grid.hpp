// The swept parameters of the CSR kernels.
#pragma once

#include "kernels/grid.hpp"

namespace sptune::csr {

struct index_bits { static constexpr const char* name = "x"; };  ///< of a column index
struct vector { static constexpr const char* name = "v"; };      ///< 0: scalar, 1: SIMD along the row
struct unroll { static constexpr const char* name = "u"; };      ///< accumulators in flight
struct chunk { static constexpr const char* name = "k"; };       ///< rows claimed at a time
struct workers { static constexpr const char* name = "w"; };     ///< 1 or all threads

using Inner = grid<axis<index_bits, 32, 16>, axis<vector, 0, 1>, axis<unroll, 1, 2, 4>>;

using StaticGrid = grid<axis<workers, kAll, 1>>;
using DynamicGrid = grid<axis<chunk, 64, 512>>;

/// Scalar rows profit from four accumulators, vectors from two; the rest only costs time.
constexpr bool worthwhile(bool vector, int unroll) { return vector ? unroll <= 2 : unroll != 2; }

}  // namespace sptune::csr
