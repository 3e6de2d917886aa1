// What one entry knows that another for the same matrix and device does not: what a stopped or
// restricted sweep has found must not push out more.
#pragma once

#include "db/entry.hpp"

namespace sptune::db {

/// How many kernels a sweep got to, whatever became of them.
std::size_t kernels_reached(const Entry& entry);

/// Whether `a` got to a kernel that `b` lacks or did not reach.
bool knows_more(const Entry& a, const Entry& b);

/// Whether a core did something else for so long that times of it may be too long.
bool were_cores_busy(const Entry& entry);
/// Provenance::one_value, absent or not.
bool had_one_value(const Entry& entry);

}  // namespace sptune::db
