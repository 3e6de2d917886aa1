// The command line of `sptune profile`.
#pragma once

#include "cli/sweep_request.hpp"

#include <string>
#include <vector>

namespace sptune::cli {

struct ProfileOptions : SweepRequest {
    std::string json, html;
    double calls = 0;  ///< 0: not asked for
    bool all = false;
};

/// False when --help was printed. Throws UsageError, and DeviceError for a backend that this build
/// does not have.
bool parse_profile(const std::vector<std::string>& args, ProfileOptions& options);

}  // namespace sptune::cli
