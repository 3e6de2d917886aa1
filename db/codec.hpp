// Entry <-> JSON. Everything read is checked; the message names the field.
#pragma once

#include "db/entry.hpp"
#include "matrix/error.hpp"

#include <nlohmann/json_fwd.hpp>

namespace sptune::db {

/// A document of a later version of sptune: valid, perhaps, but not for us to judge or replace.
class NewerSchema : public Error {
  public:
    using Error::Error;
};

nlohmann::ordered_json to_json(const Features& features);
nlohmann::ordered_json to_json(const ProductFeatures& product);
nlohmann::ordered_json to_json(const Candidate& candidate);
nlohmann::ordered_json to_json(const Device& device);
/// The stored form, schema "sptune.entry/1". Leaves out MatrixInfo::path.
nlohmann::ordered_json to_json(const Entry& entry);

/// What `sptune profile --json` prints, schema "sptune.profile/1": the stored form and
/// MatrixInfo::path.
nlohmann::ordered_json profile_document(const Entry& entry);

/// Throws Error with the JSON path of the first thing that is wrong: a field that is missing or of
/// the wrong type or range, or parts that contradict each other. Unknown fields are ignored.
/// Throws NewerSchema naming the schema when it is a later version's.
Entry entry_from_json(const nlohmann::ordered_json& json);
/// The same for a part of an entry.
Features features_from_json(const nlohmann::ordered_json& json);
ProductFeatures product_from_json(const nlohmann::ordered_json& json);
Device device_from_json(const nlohmann::ordered_json& json);
Candidate candidate_from_json(const nlohmann::ordered_json& json);

}  // namespace sptune::db
