#include "tuner/last_times.hpp"

#include <algorithm>

namespace sptune::tuner {

void LastTimes::add(double us) {
    const auto begin = sorted_.begin();
    auto end = begin + static_cast<std::ptrdiff_t>(count_);
    if (count_ == last_.size()) {  // the oldest goes
        const auto gone = std::lower_bound(begin, end, last_[next_]);
        std::copy(gone + 1, end, gone);
        --end;
    } else {
        ++count_;
    }
    const auto place = std::upper_bound(begin, end, us);
    std::copy_backward(place, end, end + 1);
    *place = us;
    last_[next_] = us;
    next_ = (next_ + 1) % last_.size();
    const std::size_t middle = count_ / 2;
    median_ = count_ % 2 ? sorted_[middle] : (sorted_[middle - 1] + sorted_[middle]) / 2;
}

}  // namespace sptune::tuner
