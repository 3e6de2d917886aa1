// The swept parameters of the CSR kernels.
#pragma once

#include "kernels/axes.hpp"

namespace sptune::csr {

/// entries of a row at a time; all: SIMD
struct lanes {
    static constexpr const char* name = "l";
};
/// accumulators in flight
struct unroll {
    static constexpr const char* name = "u";
};
/// rows claimed at a time
struct chunk {
    static constexpr const char* name = "k";
};

using Inner = grid<axis<index_bits, 32, 16>, axis<lanes, 1, kAll>, axis<unroll, 1, 2, 4>>;

using DynamicGrid = grid<axis<chunk, 64, 512>>;

/// Scalar rows profit from four accumulators, vectors from two; the rest only costs time.
constexpr bool worthwhile(int lanes, int unroll) {
    return lanes == kAll ? unroll <= 2 : unroll != 2;
}

}  // namespace sptune::csr
