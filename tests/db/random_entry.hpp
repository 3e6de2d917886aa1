// Valid entries in which every field holds something random.
#pragma once

#include "db/entry.hpp"

#include <cstdint>

namespace sptune::db {

/// The same entry for the same seed. Its key depends on the seed; it has at least one candidate.
Entry random_entry(std::uint64_t seed);

}  // namespace sptune::db
