// Why the winner won and the rest lost, in words made from the numbers of an entry alone.
#pragma once

#include "db/entry.hpp"

#include <string>

namespace sptune::tuner {

/// One short clause: why `candidate`, one of `entry`'s, did not win; "fastest" for the winner.
std::string why(const db::Entry& entry, const db::Candidate& candidate);

/// One sentence on the winner against the baseline and the vendor; says so when there is none.
std::string why_winner(const db::Entry& entry);

}  // namespace sptune::tuner
