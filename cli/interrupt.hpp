// Ctrl-C, and what a terminal or a batch system sends to end a program: SIGINT, SIGTERM, SIGHUP.
#pragma once

#include <array>
#include <atomic>

#include <signal.h>

namespace sptune::cli {

/// While it lives, the first of these signals raises flag() instead of ending the process; the same
/// one again ends it as usual. A flag once raised stays raised.
class InterruptGuard {
  public:
    InterruptGuard();
    ~InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;

    static const std::atomic<bool>& flag();
    /// What a shell would report of a program that the signal has ended: 128 plus its number.
    static int exit_code();
    /// Each signal that a guard receives from now on adds 1 to `counter`.
    static void count_in(std::atomic<int>& counter);

  private:
    static constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};
    std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace sptune::cli
