#include "db/codec.hpp"
#include "db/fields.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sptune::db {
namespace {

using Json = nlohmann::ordered_json;

/// Passed along so that overloads further down are found by its namespace.
struct Encoder {};

template <class T>
Json encode(Encoder, const T& plain) {
    return plain;
}

template <class E>
requires std::is_enum_v<E> Json encode(Encoder, const E& value) {
    return to_string(value);
}

template <class U>
Json encode(Encoder, const Hash<U>& hash) {
    return fmt::format("{:016x}", hash.value);
}

template <class U>
Json encode(Encoder as, const Amount<U>& field) {
    return encode(as, field.value);
}

template <class U>
Json encode(Encoder, const Nullable<U>& field) {
    if (is_null(field)) return nullptr;
    return field.value;
}

Json encode(Encoder, const Params& params) {
    Json object = Json::object();
    for (const Param& p : params) object[std::string(p.name)] = p.value;
    return object;
}

template <record T>
Json encode(Encoder as, const T& value) {
    Json object = Json::object();
    visit_fields(value, [&]<class Field>(const char* name, const Field& field) {
        if constexpr (is_optional<Field>) {
            if (field.value) object.emplace(name, encode(as, *field.value));
        } else {
            object.emplace(name, encode(as, field));
        }
    });
    return object;
}

template <class T>
Json encode(Encoder as, const std::optional<T>& value) {
    return value ? encode(as, *value) : Json(nullptr);
}

template <record T>
Json encode(Encoder as, const std::vector<T>& list) {
    Json array = Json::array();
    for (const T& item : list) array.push_back(encode(as, item));
    return array;
}

Json document(const char* schema, const Entry& entry) {
    Json json{{"schema", schema}};
    json.update(encode(Encoder{}, entry));
    return json;
}

}  // namespace

Json to_json(const Features& features) {
    return encode(Encoder{}, features);
}
Json to_json(const ProductFeatures& product) {
    return encode(Encoder{}, product);
}
Json to_json(const Candidate& candidate) {
    return encode(Encoder{}, candidate);
}
Json to_json(const Device& device) {
    return encode(Encoder{}, device);
}
Json to_json(const Entry& entry) {
    return document("sptune.entry/1", entry);
}

Json profile_document(const Entry& entry) {
    Json json = document("sptune.profile/1", entry);
    json["matrix"]["path"] = entry.matrix.path;
    return json;
}

}  // namespace sptune::db
