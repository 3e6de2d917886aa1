// Entries that have changed since sptune wrote them.
#pragma once

#include "db/entry.hpp"

#include <nlohmann/json_fwd.hpp>

namespace sptune::db {

/// Whether a document has changed since it was sealed, from which `entry` was read. Numbers that
/// other programs write otherwise (1.0 as 1) are as sptune writes them once they are read. Sorted
/// members count as changed: parameters of kernels have an order.
bool is_altered(const nlohmann::ordered_json& document, const Entry& entry);

}  // namespace sptune::db
