// The database as the results and metadata files of the FAIR autotuning schema T4, version 1.0.0,
// which other autotuners read and write. Source: the TuningSchema project, branch T4.
#pragma once

#include "db/store.hpp"

#include <string>

namespace sptune::db {

/// One result for each candidate that was run or was illegal; times are in milliseconds. Those that
/// were never run (`bounded`, `not_reached`) are no results and are left out.
std::string export_t4_results(const Store& store);

/// The devices and versions that the results come from. No host or user names.
std::string export_t4_metadata(const Store& store);

}  // namespace sptune::db
