// The parts of a model file: each as a document, and back.
#pragma once

#include "models/file_parts.hpp"
#include "models/model_file.hpp"

namespace sptune::models {

/// Without value and index type.
Json encode(const Variant& variant);
Variant decode_variant(const Json& json, Backend backend);

/// Appends to `arrays` what is no text.
Json encode(const TreeModel& model, Bytes& arrays);
Json encode(const BestSf& model, Bytes& arrays);
Json encode(const ProductModel& model, Bytes& arrays);
Json encode(const Training& training, Bytes& arrays);

/// Untrusted. Throw Error with the part that is wrong.
Backend backend_of(const Json& model);
Op op_of(const Json& kernel);
TreeModel decode_trees(const Json& json, Arrays arrays);
BestSf decode_bestsf(const Json& json, Arrays arrays);
ProductModel decode_products(const Json& json, Arrays arrays);
/// `names`: of the matrices, too.
Training decode_training(const Json& json, Arrays arrays, bool names);

}  // namespace sptune::models
