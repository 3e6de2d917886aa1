// What one short pass tells of a matrix, before features.
#pragma once

#include "matrix/types.hpp"

#include <cstdint>

namespace sptune {

struct FirstLook {
    std::uint64_t fingerprint = 0;
    index_t longest_row = 0;  ///< in entries
    /// The row pointer rises from 0 to the number of entries, and every column lies in the matrix;
    /// else nothing else counts.
    bool readable = false;
};

/// One that goes on elsewhere, on a GPU. The matrix has to stay until it ends; wait(), else the
/// destructor, waits for that, at the same GPU.
class PendingLook {
  public:
    PendingLook() = default;
    PendingLook(const PendingLook&) = delete;
    PendingLook& operator=(const PendingLook&) = delete;
    virtual ~PendingLook() = default;
    /// Once.
    virtual FirstLook wait() = 0;
};

}  // namespace sptune
