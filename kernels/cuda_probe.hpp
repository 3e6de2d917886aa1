// Whether there is a CUDA GPU, and if not, why.
#pragma once

#include <string>

namespace sptune {

/// One line for people: "built without the CUDA toolkit", "built with CUDA 13.0, no GPU usable
/// here: …" in CUDA's own words, or the GPUs. Never throws.
std::string cuda_status();

}  // namespace sptune
