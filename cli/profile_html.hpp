// The report of `sptune profile` as a page for the browser.
#pragma once

#include "db/entry.hpp"

#include <string>
#include <vector>

namespace sptune::cli {

/// One self-contained page (no scripts, nothing loaded from elsewhere): for every entry a bar chart
/// of the best kernels, a table of all that were measured, and why the rest lost.
std::string profile_html(const std::vector<db::Entry>& entries);

}  // namespace sptune::cli
