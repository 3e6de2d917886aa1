// Calls that become faster one after the other: an L3 that takes in what the L2 evicts holds a
// working set only after five to ten passes over it.
#pragma once

#include <limits>

namespace sptune::tuner {

/// Whether a CPU's working set gets into the caches call by call: one beyond the L2 and within the
/// last level. (From half a megabyte on: for smaller L2 it matters, for larger ones it does no
/// harm.)
inline bool settles(double bytes, double llc_bytes) {
    return bytes >= 1 << 19 && bytes <= llc_bytes;
}

/// Tells when calls are as fast as they will become: after `most` of them, or from the fifth on
/// once two in a row were no faster than those before.
class Settling {
  public:
    explicit Settling(int most) : most_(most) {}

    void called(double us) {
        ++calls_;
        idle_ = us < kFaster * least_us_ ? 0 : idle_ + 1;
        if (us < least_us_) least_us_ = us;
    }
    bool over() const { return calls_ >= most_ || (calls_ >= kLeast && idle_ >= kIdle); }
    /// What the fastest took.
    double least_us() const { return least_us_; }

  private:
    static constexpr double kFaster = 0.97;
    static constexpr int kLeast = 5, kIdle = 2;

    int most_, calls_ = 0, idle_ = 0;
    double least_us_ = std::numeric_limits<double>::infinity();
};

}  // namespace sptune::tuner
