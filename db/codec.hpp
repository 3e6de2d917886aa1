// Entry <-> JSON. Everything read is checked; the message names the field.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "db/entry.hpp"

namespace sptune::db {

nlohmann::ordered_json to_json(const Features& features);
nlohmann::ordered_json to_json(const Candidate& candidate);
nlohmann::ordered_json to_json(const Device& device);
/// The stored form, schema "sptune.entry/1". Leaves out MatrixInfo::path.
nlohmann::ordered_json to_json(const Entry& entry);

/// Throws Error with the JSON path of the first thing that is wrong, or naming an unknown schema.
Entry entry_from_json(const nlohmann::ordered_json& json);

}  // namespace sptune::db
