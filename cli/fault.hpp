// Faults on purpose, to test what becomes of kernels that have some. In workers alone.
#pragma once

#include <string>

namespace sptune::cli {

/// What $SPTUNE_FAULT asks for: "GLOB:FAULT[:PHASE],…", where FAULT is crash, hang, exit, kill or
/// lost (the device), and PHASE one of tuner/journal.hpp's, "converted" unless named. "step 1" is
/// the second matrix, "step 1/0" its first backend; their phase is "begun".
void commit_fault(const std::string& id, const std::string& phase);

/// Another FAULT is wrong: as if this kernel's results had been looked at and found so.
bool is_to_be_wrong(const std::string& id);

}  // namespace sptune::cli
