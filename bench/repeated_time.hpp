// Timing of calls that wait for their result.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

namespace sptune {

/// Microseconds of repeats over a tenth of a second, five at least, sorted; after three that do not
/// count.
inline std::vector<double> repeated_us(const std::function<void()>& call) {
    using Clock = std::chrono::steady_clock;
    const auto us = [](Clock::duration d) {
        return std::chrono::duration<double, std::micro>(d).count();
    };
    for (int i = 0; i < 3; ++i) call();
    std::vector<double> samples;
    const auto begin = Clock::now();
    while (samples.size() < 5 || us(Clock::now() - begin) < 1e5) {
        const auto start = Clock::now();
        call();
        samples.push_back(us(Clock::now() - start));
    }
    std::sort(samples.begin(), samples.end());
    return samples;
}

}  // namespace sptune
