// What `sptune evaluate` says of the models of one backend.
#pragma once

#include "kernels/variant.hpp"
#include "models/evaluate.hpp"

#include <string>

#include <nlohmann/json.hpp>

namespace sptune::cli {

/// For people, on stdout.
std::string evaluate_report(const models::Evaluation& evaluation, const std::string& backend,
                            Op op);

/// "sptune.evaluate/1". `calls`: over which conversions were spread.
nlohmann::ordered_json evaluate_document(const models::Evaluation& evaluation,
                                         const std::string& backend, Op op, double calls);

}  // namespace sptune::cli
