#include "tuner/last_times.hpp"

#include <algorithm>

namespace sptune::tuner {

void LastTimes::add(double us) {
    const int room = static_cast<int>(last_.size());
    last_[static_cast<std::size_t>(next_)] = us;
    next_ = (next_ + 1) % room;
    count_ = std::min(count_ + 1, room);
}

double LastTimes::median() const {
    if (empty()) return 0;
    auto sorted = last_;
    std::sort(sorted.begin(), sorted.begin() + count_);
    const auto middle = static_cast<std::size_t>(count_ / 2);
    return count_ % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double LastTimes::least() const {
    return *std::min_element(last_.begin(), last_.begin() + std::max(count_, 1));
}

}  // namespace sptune::tuner
