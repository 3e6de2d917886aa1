#include "tuner/many_ways.hpp"

#include "matrix/number.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

namespace sptune::tuner {
namespace {

/// The first of a kind make memory and wake threads.
constexpr int kTries = 3;

}  // namespace

std::size_t ManyWays::size_of(std::size_t count) {
    return std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(count)) - 1, kSizes - 1);
}

ManyWays::Step ManyWays::next(std::size_t count, const void* kernel) {
    const std::lock_guard lock(mutex_);
    const std::size_t at = size_of(count);
    Size& size = sizes_[at];
    if (size.kernel != kernel) size.kernel = kernel, size.tries[one_by_one] = {};
    for (const Way way : {together, one_by_one})
        if (size.tries[way].made < kTries) return {way, true, at};
    const bool apart = size.tries[one_by_one].least_us < size.tries[together].least_us;
    return {apart ? one_by_one : together, false, at};
}

void ManyWays::took(const Step& step, const void* kernel, double us_per_vector) {
    const std::lock_guard lock(mutex_);
    Size& size = sizes_[step.size];
    if (step.way == one_by_one && size.kernel != kernel) return;
    Tries& t = size.tries[step.way];
    t.least_us = t.made++ ? std::min(t.least_us, us_per_vector) : us_per_vector;
}

std::string ManyWays::why() const {
    const std::lock_guard lock(mutex_);
    std::string text;
    for (std::size_t at = 0; at < kSizes; ++at) {
        const Tries* tries = sizes_[at].tries;
        if (tries[together].made == 0) continue;
        text += fmt::format(
            "{} {} of {}{}", text.empty() ? " Several vectors together took, each:" : ";",
            duration_us(tries[together].least_us), std::size_t{1} << at,
            at + 1 < kSizes ? fmt::format(" to {}", (std::size_t{2} << at) - 1) : " and more");
        if (tries[one_by_one].made)
            text += fmt::format(" (one by one {})", duration_us(tries[one_by_one].least_us));
    }
    return text.empty() ? text : text + ".";
}

}  // namespace sptune::tuner
