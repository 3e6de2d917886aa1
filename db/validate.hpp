// Whether the parts of an entry fit together; codec.hpp checks each field by itself.
#pragma once

#include "db/entry.hpp"

namespace sptune::db {

/// Throws Error with the JSON path of the first contradiction.
void validate(const Entry& entry);

}  // namespace sptune::db
