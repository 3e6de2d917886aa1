// The parts of a model file: each as a document, and back.
#pragma once

#include "models/fixed_point.hpp"
#include "models/model_file.hpp"

#include <span>

#include <nlohmann/json_fwd.hpp>

namespace sptune::models {

/// The arrays of a file, one after the other; documents name places in it.
using Arrays = std::span<const std::uint8_t>;

/// Appends to `arrays` what is no text.
nlohmann::ordered_json encode(const TreeModel& model, Bytes& arrays);
nlohmann::ordered_json encode(const BestSf& model, Bytes& arrays);
nlohmann::ordered_json encode(const Training& training, Bytes& arrays);

/// Untrusted. Throw Error with the part that is wrong.
Backend backend_of(const nlohmann::ordered_json& model);
TreeModel decode_trees(const nlohmann::ordered_json& json, Arrays arrays);
BestSf decode_bestsf(const nlohmann::ordered_json& json, Arrays arrays);
/// `names`: of the matrices, too.
Training decode_training(const nlohmann::ordered_json& json, Arrays arrays, bool names);

}  // namespace sptune::models
