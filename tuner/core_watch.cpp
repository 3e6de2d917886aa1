#include "tuner/core_watch.hpp"

#include "tuner/measure.hpp"

#include <chrono>
#include <thread>

namespace sptune::tuner {
namespace {

// Threads that sleep are there within a tenth of a millisecond; a scheduler's turn takes some.
constexpr double kLateUs = 1000;

}  // namespace

bool CoreWatch::late() const {
    for (int i = 0; i < 3; ++i) {
        const double start = steady_us();
#pragma omp parallel num_threads(threads_)
        { asm volatile("" ::: "memory"); }
        if (steady_us() - start < kLateUs) return false;
    }
    return true;
}

double CoreWatch::wait() const {
    const double start = steady_us();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return steady_us() - start;
}

bool CoreWatch::spoiled(double batch_us) {
    if (threads_ < 2 || batch_us < 2 * kLateUs || busy() || !late()) return false;
    patience_us_ -= batch_us;
    const auto stopped = [&] { return stop_ && stop_->load(std::memory_order_relaxed); };
    do {
        if (stopped()) return false;
        patience_us_ -= wait();
    } while (!busy() && late());
    ++repeated_;
    return true;
}

}  // namespace sptune::tuner
