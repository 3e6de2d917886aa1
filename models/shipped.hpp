// The models that come with the library, inside of it.
#pragma once

#include "models/model_file.hpp"

namespace sptune::models {

/// Read at the first call, which takes some milliseconds, then shared. nullptr for a build without.
const ModelSet* shipped_model();

/// The trees of one backend alone, in less than half the time; the first that cover a device are
/// the ones to ask. None for a build without.
const std::vector<std::unique_ptr<const TreeModel>>& shipped_trees(Backend backend);

/// The models of products on one backend; none for a build without.
const std::vector<std::unique_ptr<const ProductModel>>& shipped_products(Backend backend);

}  // namespace sptune::models
