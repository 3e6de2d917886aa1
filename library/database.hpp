// The databases that the caller of the library means.
#pragma once

#include "db/databases.hpp"

#include <memory>

namespace sptune::library {

/// `where` as in plan_options. Null where none is to be asked. Which of the system's databases
/// there are is looked up once in a process, as long as the environment stays the same.
std::shared_ptr<const db::Databases> open_databases(const char* where);

}  // namespace sptune::library
