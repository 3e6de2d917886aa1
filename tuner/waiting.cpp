#include "tuner/waiting.hpp"

#include <algorithm>

namespace sptune::tuner {
namespace {

/// What a choice costs, in microseconds and in calls: measured on an H200 and on a Xeon.
constexpr double kChoosingUs = 250, kChoosingCalls = 4;
constexpr std::size_t kTimed = 2;

}  // namespace

bool Waiting::wants_time() const {
    // The first call of a process does more than multiply.
    return past_.calls > 0 && past_.times.size() < kTimed;
}

void Waiting::called(double us) {
    ++past_.calls;
    if (us > 0) past_.times.push_back(us);
}

bool Waiting::is_enough(const Terms& terms) const {
    if (past_.times.size() < kTimed) return false;
    const double plain_us = *std::min_element(past_.times.begin(), past_.times.end());
    const double allowed =
        (terms.grace_calls + terms.epsilon * static_cast<double>(past_.calls)) * plain_us;
    return past_.spent_us + kChoosingUs + kChoosingCalls * plain_us <= allowed;
}

}  // namespace sptune::tuner
