// The winners of a database as a C++ header, for programs that are built with their tuning.
#pragma once

#include "db/store.hpp"

#include <string>

namespace sptune::db {

/// Depends on the standard library alone; C++17. Entries without a winner are left out.
std::string export_header(const Store& store);

}  // namespace sptune::db
