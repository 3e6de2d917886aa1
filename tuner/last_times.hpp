// The last few times of a kernel.
#pragma once

#include <array>
#include <cstddef>

namespace sptune::tuner {

/// Allocates nothing: it is part of calls.
class LastTimes {
  public:
    void add(double us);
    void clear() { count_ = next_ = 0; }
    bool empty() const { return count_ == 0; }
    double median() const { return empty() ? 0 : median_; }
    double least() const { return empty() ? 0 : least_; }

  private:
    // Asked several times for each call, and so told once.
    std::array<double, 9> last_{};
    std::size_t count_ = 0, next_ = 0;
    double median_ = 0, least_ = 0;
};

}  // namespace sptune::tuner
