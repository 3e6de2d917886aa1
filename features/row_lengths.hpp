// What the row pointer alone tells: the distribution of row lengths.
#pragma once

#include "features/features.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace sptune {

/// Counts of equal lengths, increasing by length.
using LengthRuns = std::vector<std::pair<std::int64_t, std::int64_t>>;  // (length, rows)

/// Histogram of row lengths: an array for the many short ones, a list for the few long ones.
class LengthHistogram {
  public:
    /// `row` only picks one of several copies, so that equal lengths in a row do not wait for each
    /// other's increment.
    void add(std::int64_t length, std::size_t row) {
        if (length < kShort)
            ++short_[row % kCopies][static_cast<std::size_t>(length)];
        else
            long_.push_back(length);
    }
    void merge(const LengthHistogram& other);
    LengthRuns runs();

  private:
    static constexpr std::int64_t kShort = 512;
    static constexpr std::size_t kCopies = 4;
    std::array<std::array<std::uint32_t, kShort>, kCopies> short_{};
    std::vector<std::int64_t> long_;
};

/// Sums over rows that the distribution does not hold because the order of rows matters.
struct RowOrderSums {
    std::int64_t neighbour_diff = 0;  ///< Σ |length(i) - length(i-1)|
    std::int64_t warp_slots = 0;      ///< Σ over 32 rows of 32 · longest
    void merge(const RowOrderSums& other) {
        neighbour_diff += other.neighbour_diff;
        warp_slots += other.warp_slots;
    }
};

/// Fills everything of `f` that follows from rows, nnz and the distribution: row_*, ell_fill,
/// hyb_remainder, and those entries of f.sell with σ = n.
void describe_row_lengths(const LengthRuns& runs, const RowOrderSums& sums, Features& f);

}  // namespace sptune
