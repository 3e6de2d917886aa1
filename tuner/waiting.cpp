#include "tuner/waiting.hpp"

#include <algorithm>
#include <atomic>

namespace sptune::tuner {
namespace {

/// What a choice costs, in microseconds and in calls, and about as much again towards what follows
/// from it: on an H200 it takes 120 to 280 us where a call takes 5 to 45. Without that margin (140
/// and 3.5) programs of 200 calls chose shortly before their end, which brought them nothing.
constexpr double kChoosingUs = 150, kChoosingCalls = 4;
/// The first time, with the same margin: 6 ms on an H100's host, 0.7 to 1 on a CPU.
constexpr double kFirstUs = 1000, kFirstCudaUs = 6500;
constexpr std::size_t kTimed = 2;

std::atomic<bool>& chosen(Backend backend) {
    static std::atomic<bool> cpu, cuda;
    return backend == Backend::cuda ? cuda : cpu;
}

}  // namespace

bool Waiting::wants_time() const {
    // The first call of a process does more than multiply.
    return past_.calls > 0 && past_.times.size() < kTimed;
}

void Waiting::called(double us) {
    ++past_.calls;
    if (us > 0) past_.times.push_back(us);
}

bool Waiting::is_enough(const Terms& terms, double choosing_us) const {
    if (past_.times.size() < kTimed) return false;
    const double plain_us = *std::min_element(past_.times.begin(), past_.times.end());
    const double allowed =
        (terms.grace_calls + terms.epsilon * static_cast<double>(past_.calls)) * plain_us;
    return past_.spent_us + choosing_us + kChoosingCalls * plain_us <= allowed;
}

double choosing_us(Backend backend) {
    if (chosen(backend).load(std::memory_order_relaxed)) return kChoosingUs;
    return backend == Backend::cuda ? kFirstCudaUs : kFirstUs;
}

void has_chosen(Backend backend) {
    chosen(backend).store(true, std::memory_order_relaxed);
}

}  // namespace sptune::tuner
