// What one entry knows that another for the same matrix and device does not: what a stopped or
// restricted sweep has found must not push out more.
#pragma once

#include "db/entry.hpp"

namespace sptune::db {

/// How many kernels a sweep got to, whatever became of them.
std::size_t kernels_reached(const Entry& entry);

/// Whether `a` got to a kernel that `b` lacks or did not reach.
bool knows_more(const Entry& a, const Entry& b);

}  // namespace sptune::db
