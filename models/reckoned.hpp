// Formats that are chosen by formulas, or measured, and never learned.
#pragma once

#include <string_view>

namespace sptune::models {

/// Of these formats models know no kernel: sweeps from before they existed have nothing of them, or
/// no feature tells what they take.
inline bool is_reckoned(std::string_view format) {
    return format == "hub" || format == "strips" || format == "tiles2d";
}

}  // namespace sptune::models
