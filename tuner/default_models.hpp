// The models that are asked where nobody names others.
#pragma once

#include "kernels/variant.hpp"
#include "models/predictor.hpp"
#include "models/product_model.hpp"

#include <string>
#include <vector>

namespace sptune::tuner {

/// The trees of `file` where one is named, else of $SPTUNE_MODEL where that is set; those that are
/// shipped; the heuristic last. A file is read once in a process. Throws InputError naming it where
/// it cannot be read or is no model.
std::vector<const models::Predictor*> default_models(Backend backend, const std::string& file = {});

/// Throws as default_models() does where $SPTUNE_MODEL is set and no model, before one is needed.
void require_model_of_environment();

/// Of products of matrices, where no model is the last resort: nullptr where none covers the
/// device.
const models::ProductModel* default_product_model(const db::Device& device);

}  // namespace sptune::tuner
