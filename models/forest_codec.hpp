// A forest as part of a model file, and back.
#pragma once

#include "models/file_parts.hpp"
#include "models/forest.hpp"

namespace sptune::models {

/// Appends its nodes and leaves to `arrays`.
Json encode(const Forest& forest, Bytes& arrays);
/// Untrusted. Throws Error with the part that is wrong.
Forest decode_forest(const Json& json, Arrays arrays);

}  // namespace sptune::models
