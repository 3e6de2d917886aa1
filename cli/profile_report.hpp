// What a person reads after a sweep.
#pragma once

#include "cli/style.hpp"
#include "db/entry.hpp"

#include <string>

namespace sptune::cli {

/// What the report shows beside the entry itself.
struct ReportOptions {
    std::string sparkline;  ///< of the row lengths; may be empty
    double calls = 0;       ///< recommend for so many calls; 0: no such line
    bool all = false;       ///< every measured candidate instead of the highlights
};

/// Up to 100 columns wide, ending in a newline.
std::string profile_report(const db::Entry& entry, const ReportOptions& options,
                           const Style& style);

}  // namespace sptune::cli
