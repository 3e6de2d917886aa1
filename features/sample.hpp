// Which rows the estimated features look at.
#pragma once

#include "matrix/partition_point.hpp"

#include <cstdint>
#include <vector>

namespace sptune {

/// Rows [first, last).
struct RowWindow {
    std::int64_t first = 0, last = 0;
};

/// Where the rows of a sample lie. Works on the GPU, too.
struct SampleView {
    const RowWindow* windows;    ///< increasing, disjoint
    const std::int64_t* before;  ///< sampled rows before each window, and in all
    std::int64_t count;
    bool everything;

    /// Sampled rows inside [first, last).
    constexpr std::int64_t rows_in(std::int64_t first, std::int64_t last) const {
        if (first >= last) return 0;
        return everything ? last - first : rows_before(last) - rows_before(first);
    }
    constexpr std::int64_t rows_before(std::int64_t row) const {
        const std::int64_t w = partition_point(
            std::int64_t{0}, count, [&](std::int64_t i) { return windows[i].first <= row; });
        if (w == 0) return 0;
        const RowWindow& last = windows[w - 1];
        return before[w - 1] + (row < last.last ? row : last.last) - last.first;
    }
};

/// Groups of `unit` rows: all of them, the last one perhaps with fewer, where `wanted` rows allow
/// it, otherwise up to `windows` stretches of whole groups, one at a pseudo-random place of each
/// equal part of the matrix. Depends on its arguments alone.
class RowSample {
  public:
    RowSample(std::int64_t rows, std::int64_t wanted, std::int64_t unit, std::int64_t windows);

    const std::vector<RowWindow>& windows() const { return windows_; }
    /// The windows, cut into pieces of `unit` rows (the last one of the matrix may have fewer).
    std::vector<RowWindow> units() const;
    std::int64_t rows() const { return before_.back(); }
    bool everything() const { return everything_; }
    /// Sampled rows inside [first, last).
    std::int64_t rows_in(std::int64_t first, std::int64_t last) const {
        return view().rows_in(first, last);
    }
    /// Valid as long as this sample.
    SampleView view() const {
        return {windows_.data(), before_.data(), static_cast<std::int64_t>(windows_.size()),
                everything_};
    }

  private:
    std::vector<RowWindow> windows_;
    std::vector<std::int64_t> before_;
    std::int64_t unit_;
    bool everything_;
};

}  // namespace sptune
