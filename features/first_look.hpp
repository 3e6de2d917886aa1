// What one short pass tells of a matrix, before features.
#pragma once

#include "matrix/types.hpp"

#include <cstdint>

namespace sptune {

struct FirstLook {
    std::uint64_t fingerprint = 0;
    index_t longest_row = 0;  ///< in entries
    /// The row pointer rises and every column lies in the matrix; else nothing else counts.
    bool readable = false;
};

}  // namespace sptune
