// What is known of C = A·B without multiplying, as numbers in a row.
#pragma once

#include "db/entry.hpp"
#include "features/product.hpp"

#include <string>
#include <vector>

namespace sptune::models {

/// The names of product_inputs(), in order; as input_names() for SpMV.
const std::vector<std::string>& product_input_names();

/// Sizes as log2, lengths relative to their mean, and what has to stay close at hand (B, an
/// accumulator for each thread, C) relative to the last-level cache. Finite for every pair.
std::vector<float> product_inputs(const ProductFeatures& product, const db::Device& device,
                                  ValueType value);

}  // namespace sptune::models
