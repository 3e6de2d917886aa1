#include "features/sample.hpp"

#include "matrix/counter_random.hpp"

#include <algorithm>

namespace sptune {

RowSample::RowSample(std::int64_t rows, std::int64_t wanted, std::int64_t unit,
                     std::int64_t windows)
    : unit_(unit), everything_(wanted >= rows) {
    // A last group with fewer rows would speak for all of them.
    const std::int64_t groups =
        everything_ ? (rows + unit - 1) / unit : std::max<std::int64_t>(rows / unit, 1);
    const std::int64_t taken = std::clamp<std::int64_t>(wanted / unit, 1, groups);
    const std::int64_t parts = everything_ ? groups : std::min(windows, taken);
    for (std::int64_t part = 0; part < parts; ++part) {
        const std::int64_t first = groups * part / parts, last = groups * (part + 1) / parts;
        const std::int64_t length = everything_ ? last - first : taken / parts;
        const auto room = static_cast<std::uint64_t>(last - first - length + 1);
        const auto at =
            first + static_cast<std::int64_t>(mix64(static_cast<std::uint64_t>(part) + 1) % room);
        windows_.push_back({at * unit, std::min(rows, (at + length) * unit)});
    }
    before_.push_back(0);
    for (const RowWindow& w : windows_) before_.push_back(before_.back() + w.last - w.first);
}

std::vector<RowWindow> RowSample::units() const {
    std::vector<RowWindow> list;
    for (const RowWindow& w : windows_)
        for (std::int64_t i = w.first; i < w.last; i += unit_)
            list.push_back({i, std::min(w.last, i + unit_)});
    return list;
}

}  // namespace sptune
