// Sampled rows as kernels take them: by value, among their parameters.
#pragma once

#include "features/sample_plan.hpp"

#include <algorithm>

namespace sptune::cuda {

/// A sample that is not everything.
struct DeviceSample {
    RowWindow windows[kWindows];
    std::int64_t before[kWindows + 1];
    std::int64_t count;
    std::int64_t unit;   ///< rows of a unit
    std::int64_t units;  ///< of which each window has so many

    DeviceSample(const RowSample& sample, std::int64_t unit_rows)
        : windows{}, before{}, unit(unit_rows) {
        const SampleView from = sample.view();
        count = from.count;
        std::copy_n(from.windows, count, windows);
        std::copy_n(from.before, count + 1, before);
        // Only the last window may be shorter, by less than a unit.
        units = (windows[0].last - windows[0].first + unit - 1) / unit;
    }
    /// Units in all, and one of them.
    constexpr std::int64_t all_units() const { return count * units; }
    constexpr RowWindow unit_at(std::int64_t u) const {
        const RowWindow& window = windows[u / units];
        const std::int64_t first = window.first + u % units * unit;
        return {first, first + unit < window.last ? first + unit : window.last};
    }
    /// Valid as long as this.
    constexpr SampleView view() const { return {windows, before, count, false}; }
};

}  // namespace sptune::cuda
