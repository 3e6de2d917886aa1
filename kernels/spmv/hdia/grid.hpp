// The swept parameters of the HDIA layout; a GPU has slices of its own.
#pragma once

#include "kernels/axes.hpp"

namespace sptune::hdia {

/// least occupation of a diagonal inside a slice, in percent
struct occupied {
    static constexpr const char* name = "f";
};

using Grid = grid<axis<chunk_rows, 8, 16, 32, 64>, axis<occupied, 25, 50>>;

}  // namespace sptune::hdia
