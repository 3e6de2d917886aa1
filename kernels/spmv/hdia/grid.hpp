// The swept parameters of the HDIA layout (a GPU has slices of its own), and where it is pointless.
#pragma once

#include "kernels/axes.hpp"

namespace sptune::hdia {

/// least occupation of a diagonal inside a slice, in percent
struct occupied {
    static constexpr const char* name = "f";
};

/// Of all entries on kept diagonals. Below this share the layout is SELL, but for overhead.
inline constexpr double kLeastShare = 0.1;
inline constexpr const char* kNoDiagonals =
    "hardly any entries of a slice lie on a common diagonal";

using Grid = grid<axis<chunk_rows, 8, 16, 32, 64>, axis<occupied, 25, 50>>;

}  // namespace sptune::hdia
