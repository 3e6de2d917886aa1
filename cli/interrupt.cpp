#include "cli/interrupt.hpp"

namespace sptune::cli {
namespace {

std::atomic<bool> interrupted{false};
std::atomic<int> received{0};
std::atomic<std::atomic<int>*> counted_in{nullptr};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a signal handler may not lock");

}  // namespace

InterruptGuard::InterruptGuard() {
    struct sigaction action {};
    action.sa_handler = [](int signal) {
        received = signal;
        interrupted = true;
        if (std::atomic<int>* counter = counted_in) ++*counter;
    };
    action.sa_flags = SA_RESETHAND;  // the second one takes the default way
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        sigaction(kSignals[i], &action, &before_[i]);
        // nohup has seen to it that the end of the terminal is not ours.
        if (kSignals[i] == SIGHUP && before_[i].sa_handler == SIG_IGN)
            sigaction(SIGHUP, &before_[i], nullptr);
    }
}

InterruptGuard::~InterruptGuard() {
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before_[i], nullptr);
}

const std::atomic<bool>& InterruptGuard::flag() {
    return interrupted;
}

int InterruptGuard::exit_code() {
    return 128 + received;
}

void InterruptGuard::count_in(std::atomic<int>& counter) {
    counted_in = &counter;
}

}  // namespace sptune::cli
