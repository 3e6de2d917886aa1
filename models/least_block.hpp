// Kernels of blocks differ in the size of their blocks, and a model sees too few matrices with
// blocks of each size to learn them all. What it can learn is how fast such a kernel is with the
// size that suits a matrix: the one whose storage takes the least bytes, which features tell.
#pragma once

#include "features/features.hpp"
#include "kernels/variant.hpp"

#include <array>
#include <cstdint>

namespace sptune::models {

/// Whether the kernel has a size of blocks, r and c.
bool has_blocks(const Variant& variant);

/// Rows and columns of blocks as a number from 1 on; 0 for others than `variant` with blocks of up
/// to 16 × 16. Finding them among the parameters takes longer than all else that is done with them.
std::uint64_t block_size_number(const Variant& variant);

/// Stands for the kernel with the size of least bytes: r and c are kAll.
Variant with_least_block(Variant variant);

/// Bytes by size, estimated once for each (holding()).
class BlockBytes {
  public:
    /// Refers to the features.
    explicit BlockBytes(const Features& features) : features_(features) {}
    /// For one precision; of a variant that has blocks, and its block_size_number().
    double of(const Variant& variant, std::uint64_t size_number);
    double of(const Variant& variant) { return of(variant, block_size_number(variant)); }

  private:
    const Features& features_;
    std::array<double, 256> known_{};  ///< 0: not asked yet
};

}  // namespace sptune::models
