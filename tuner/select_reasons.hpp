// The words of a choice.
#pragma once

#include "tuner/select.hpp"

namespace sptune::tuner {

/// Why the database did not decide; empty where it was not asked.
struct Lookup {
    bool asked = false;
    bool found = false;               ///< an entry of this matrix and device
    std::vector<std::string> others;  ///< keys of other devices that have one
    int stale = 0;                    ///< its times of kernels that have changed since
};

/// Sentences on `selection`, made from its numbers.
std::string why_selected(const Selection& selection, const Lookup& lookup,
                         const std::string& device_key);

}  // namespace sptune::tuner
