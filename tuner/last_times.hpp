// The last few times of a kernel.
#pragma once

#include <array>

namespace sptune::tuner {

/// Allocates nothing: it is part of calls.
class LastTimes {
  public:
    void add(double us);
    void clear() { count_ = next_ = 0; }
    bool empty() const { return count_ == 0; }
    double median() const;  ///< 0 for none
    double least() const;

  private:
    std::array<double, 9> last_{};
    int count_ = 0, next_ = 0;
};

}  // namespace sptune::tuner
