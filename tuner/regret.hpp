// How far behind the fastest a choice is, without the luck of the fastest.
#pragma once

#include "db/entry.hpp"

#include <optional>
#include <string_view>

namespace sptune::tuner {

/// Time of candidate `id` over that of the fastest, minus 1; below 0 where `id` turns out to be
/// faster. The least of hundreds of noisy medians is less than any of these kernels takes, so that
/// half of the moments decide who is the fastest and the others time both, then the other way
/// round; the geometric mean of the two. Nothing where `id` was not timed at the moments of the
/// winner, or these are too few.
std::optional<double> regret(const db::Entry& entry, std::string_view id);

}  // namespace sptune::tuner
