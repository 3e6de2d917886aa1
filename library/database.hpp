// The database that the caller of the library means.
#pragma once

#include "db/store.hpp"

#include <optional>

namespace sptune::library {

/// `where` as in plan_options. nullopt where there is none to ask.
std::optional<db::Store> open_store(const char* where);

}  // namespace sptune::library
