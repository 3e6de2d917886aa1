// The axes that several kernels share. Those of one kernel alone stand in its grid.hpp.
#pragma once

#include "kernels/grid.hpp"

namespace sptune {

/// of a column index: 16 or 32
struct index_bits {
    static constexpr const char* name = "x";
};
/// 1, or all threads
struct workers {
    static constexpr const char* name = "w";
};
/// rows side by side
struct chunk_rows {
    static constexpr const char* name = "c";
};

/// One thread beats all of them on small matrices: no fork, no join.
using Workers = grid<axis<workers, kAll, 1>>;

}  // namespace sptune
