#include "tuner/last_times.hpp"

#include <algorithm>

namespace sptune::tuner {

void LastTimes::add(double us) {
    last_[next_] = us;
    next_ = (next_ + 1) % last_.size();
    count_ = std::min(count_ + 1, last_.size());
    auto sorted = last_;
    std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(count_));
    least_ = sorted[0];
    median_ = (sorted[count_ / 2] + sorted[(count_ - 1) / 2]) / 2;
}

}  // namespace sptune::tuner
