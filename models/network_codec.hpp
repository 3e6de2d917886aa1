// A network as part of a model file, and back.
#pragma once

#include "models/file_parts.hpp"
#include "models/network.hpp"

namespace sptune::models {

/// Appends its weights to `arrays`. `share`: of the mean of trees and network.
Json encode(const Network& network, double share, Bytes& arrays);
/// Untrusted. Throws Error with the part that is wrong.
Network decode_network(const Json& json, Arrays arrays);

}  // namespace sptune::models
