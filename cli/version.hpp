// What this program is and what it was built with.
#pragma once

#include <string>

namespace sptune::cli {

/// "0.1.0"
std::string version();
/// "GCC 12.2.0"
std::string compiler();

}  // namespace sptune::cli
