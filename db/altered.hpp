// Entries that have changed since sptune wrote them.
#pragma once

#include "db/entry.hpp"

#include <nlohmann/json_fwd.hpp>

namespace sptune::db {

/// Whether a document has changed since it was sealed, from which `entry` was read. What only looks
/// different, as other programs order members and write 1.0 as 1, is as sptune writes it once it
/// is read.
bool is_altered(const nlohmann::ordered_json& document, const Entry& entry);

}  // namespace sptune::db
