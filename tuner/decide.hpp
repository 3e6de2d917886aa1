// Who wins, and what winning is worth.
#pragma once

#include "db/entry.hpp"

#include <vector>

namespace sptune::tuner {

/// Two medians closer than this are equal for all purposes when noise cannot tell them apart.
inline constexpr double kTie = 1.02;

/// The fastest of `measured` (at least one, all with times). Where others are neither slower beyond
/// noise nor by more than kTie, the tie goes to the cheapest conversion (those within 25 % of
/// it count as equal), then to the least time in a CUDA graph, if that of all is known, then to the
/// least bytes, then to the first id.
const db::Candidate& choose(const std::vector<const db::Candidate*>& measured);

/// Sets winner, speed-up and break-even from `winner`, which is in `entry`, and the baseline.
void crown(db::Entry& entry, const db::Candidate& winner);

}  // namespace sptune::tuner
