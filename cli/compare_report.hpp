// What a person reads after `sptune compare`.
#pragma once

#include "cli/comparison.hpp"
#include "cli/style.hpp"

#include <string>
#include <vector>

namespace sptune::cli {

/// Up to 100 columns wide where the ids allow it; the geometric means are the last line.
std::string compare_report(const db::Device& device, const std::string& cache,
                           const std::vector<Comparison>& comparisons, const Style& style);

}  // namespace sptune::cli
