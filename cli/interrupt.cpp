#include "cli/interrupt.hpp"

namespace sptune::cli {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may not lock");

}  // namespace

InterruptGuard::InterruptGuard() {
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = true; };
    action.sa_flags = SA_RESETHAND;  // the second one takes the default way
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, &before_);
}

InterruptGuard::~InterruptGuard() {
    sigaction(SIGINT, &before_, nullptr);
}

const std::atomic<bool>& InterruptGuard::flag() {
    return interrupted;
}

}  // namespace sptune::cli
