// What made an entry.
#pragma once

#include "db/entry.hpp"

#include <string>

namespace sptune::db {

/// "0.1.0"
std::string version();
/// What this build was compiled with: "GCC 12.2.0".
std::string compiler();

/// Says that this build has made the entry, just now.
void sign(Provenance& provenance);

}  // namespace sptune::db
