// How long a supervisor waits for its worker before it ends it.
#pragma once

#include "cli/recorder.hpp"

namespace sptune::cli {

class Patience {
  public:
    /// As $SPTUNE_CANDIDATE_TIMEOUT says. Throws UsageError where that is no time.
    Patience();

    /// Seconds without a sign of life, for what is under way. `asked`: the user wants an end.
    double limit_s(const Flight& flight, bool asked) const;
    /// For one phase of a candidate, where nobody asks for an end.
    double allowed_s(const Flight& flight) const;
    /// For a worker that was killed to be dead.
    double dying_s() const;

  private:
    double given_s_;
};

}  // namespace sptune::cli
