// The command line of `sptune compare`.
#pragma once

#include "cli/sweep_request.hpp"

#include <string>
#include <vector>

namespace sptune::cli {

struct CompareOptions : SweepRequest {
    std::string json;
};

/// As parse_profile().
bool parse_compare(const std::vector<std::string>& args, CompareOptions& options);

}  // namespace sptune::cli
