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

/// Row lengths below this are counted in an array, longer ones are listed.
inline constexpr std::size_t kShortRows = 512;

/// From how many rows have each short length, and the longer lengths in any order.
LengthRuns length_runs(const std::array<std::int64_t, kShortRows>& shorter,
                       std::vector<std::int64_t> longer);

/// Histogram of row lengths: an array for the many short ones, a list for the few long ones.
class LengthHistogram {
  public:
    /// `row` only picks one of several copies, so that equal lengths in a row do not wait for each
    /// other's increment.
    void add(std::int64_t length, std::size_t row, std::uint32_t count = 1) {
        if (length < static_cast<std::int64_t>(kShortRows))
            short_[row % kCopies][static_cast<std::size_t>(length)] += count;
        else
            long_.insert(long_.end(), count, length);
    }
    /// All copies into the first, so that whoever merges this has less to read.
    void fold();
    void merge(const LengthHistogram& folded);
    LengthRuns runs() const;

  private:
    static constexpr std::size_t kCopies = 4;
    std::array<std::array<std::uint32_t, kShortRows>, kCopies> short_{};
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
/// hyb_remainder, and those entries of f.sell and f.long_rows->sell with σ = n.
void describe_row_lengths(const LengthRuns& runs, const RowOrderSums& sums, Features& f);

}  // namespace sptune
