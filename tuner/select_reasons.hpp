// The words of a choice.
#pragma once

#include "tuner/select.hpp"

namespace sptune::tuner {

/// What the databases knew; empty where none was asked.
struct Lookup {
    bool asked = false;
    bool found = false;               ///< an entry of this matrix and device
    db::Place place;                  ///< of the entry that decided
    std::vector<std::string> others;  ///< keys of other devices that have one
    int stale = 0;                    ///< times of kernels that are not there or have changed since
    std::vector<std::string> notes;   ///< what was passed over, and why
};

/// Sentences on `selection`, made from its numbers.
std::string why_selected(const Selection& selection, const Lookup& lookup,
                         const std::string& device_key);

}  // namespace sptune::tuner
