// Ctrl-C.
#pragma once

#include <atomic>

#include <signal.h>

namespace sptune::cli {

/// While it lives, the first Ctrl-C raises flag() instead of ending the process; a second one ends
/// it as usual. A flag once raised stays raised.
class InterruptGuard {
  public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    static const std::atomic<bool>& flag();

  private:
    struct sigaction before_ {};
};

}  // namespace sptune::cli
