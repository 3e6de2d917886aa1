// Kernels of blocks differ in the size of their blocks, and a model sees too few matrices with
// blocks of each size to learn them all. What it can learn is how fast such a kernel is with the
// size that suits a matrix: the one whose storage takes the least bytes, which features tell.
#pragma once

#include "features/features.hpp"
#include "kernels/variant.hpp"

#include <array>

namespace sptune::models {

/// Whether the kernel has a size of blocks, r and c.
bool has_blocks(const Variant& variant);

/// Stands for the kernel with the size of least bytes: r and c are kAll.
Variant with_least_block(Variant variant);

/// Bytes by size, estimated once for each (holding()).
class BlockBytes {
  public:
    /// Refers to the features.
    explicit BlockBytes(const Features& features) : features_(features) {}
    /// For one precision; of a variant that has blocks.
    double of(const Variant& variant);

  private:
    static constexpr int kMost = 16;
    const Features& features_;
    std::array<double, kMost * kMost> known_{};  ///< 0: not asked yet
};

}  // namespace sptune::models
