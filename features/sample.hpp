// Which rows the estimated features look at.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sptune {

/// Rows [first, last).
struct RowWindow {
    std::int64_t first = 0, last = 0;
};

/// Whole groups of `unit` rows: all of them where `wanted` rows allow it, otherwise up to `windows`
/// stretches of rows, one at a pseudo-random place of each equal part of the matrix. Depends on
/// its arguments alone.
class RowSample {
  public:
    RowSample(std::int64_t rows, std::int64_t wanted, std::int64_t unit, std::int64_t windows);

    const std::vector<RowWindow>& windows() const { return windows_; }
    std::int64_t rows() const { return before_.back(); }
    bool everything() const { return everything_; }
    /// Sampled rows inside [first, last).
    std::int64_t rows_in(std::int64_t first, std::int64_t last) const {
        if (first >= last) return 0;
        return everything_ ? last - first : rows_before(last) - rows_before(first);
    }

  private:
    std::int64_t rows_before(std::int64_t row) const;

    std::vector<RowWindow> windows_;    // increasing, disjoint
    std::vector<std::int64_t> before_;  // sampled rows before each window, and in all
    bool everything_;
};

}  // namespace sptune
