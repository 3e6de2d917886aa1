// How long a program calls the safe kernel before it is worth while to choose another.
#pragma once

#include "tuner/contract.hpp"

namespace sptune::tuner {

/// Counts calls and says when choosing has become cheap beside them. Knows nothing of matrices.
class Waiting {
  public:
    /// Whether the next call should be timed.
    bool wants_time() const;
    /// A call has been made; 0 where it was not timed.
    void called(double us);
    /// Whether choosing costs less than what the promise leaves for it. What it takes beside passes
    /// over the matrix, a few times as long as a call, is the same for all matrices.
    bool is_enough(const Terms& terms) const;
    /// Beside the calls.
    void spent(double us) { past_.spent_us += us; }
    const Past& past() const { return past_; }

    /// There is nothing to wait for, or no more.
    bool over = false;

  private:
    Past past_;
};

}  // namespace sptune::tuner
