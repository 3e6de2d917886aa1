// Fields of an untrusted document: every access names what it wanted. And numbers for a document.
#pragma once

#include "matrix/error.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sptune::models {

using Json = nlohmann::ordered_json;

inline const Json& member(const Json& from, const char* name) {
    const auto found = from.is_object() ? from.find(name) : from.end();
    if (found == from.end()) throw Error(fmt::format("{} is missing", name));
    return *found;
}

inline const Json& list(const Json& from, const char* name) {
    const Json& value = member(from, name);
    if (!value.is_array()) throw Error(fmt::format("{} must be a list", name));
    return value;
}

inline std::string text(const Json& value, const char* name) {
    if (!value.is_string()) throw Error(fmt::format("{} must be a text", name));
    return value.get<std::string>();
}

inline double number(const Json& value, const char* name) {
    if (!value.is_number() || !std::isfinite(value.get<double>()) ||
        std::abs(value.get<double>()) > 1e30)
        throw Error(fmt::format("{} must be a number", name));
    return value.get<double>();
}

inline std::int32_t integer(const Json& value, const char* name) {
    const double v = number(value, name);
    if (v != std::floor(v) || std::abs(v) > 2e9)
        throw Error(fmt::format("{} must be a whole number of at most 2e9", name));
    return static_cast<std::int32_t>(v);
}

inline std::vector<float> floats(const Json& from, const char* name) {
    std::vector<float> out;
    for (const Json& v : list(from, name)) out.push_back(static_cast<float>(number(v, name)));
    return out;
}

inline std::vector<std::string> texts(const Json& from, const char* name) {
    std::vector<std::string> out;
    for (const Json& v : list(from, name)) out.push_back(text(v, name));
    return out;
}

/// Six digits say more than was ever measured, and keep the file small.
inline double rounded(double value) {
    return std::strtod(fmt::format("{:.6g}", value).c_str(), nullptr);
}

inline Json numbers(const std::vector<float>& values) {
    Json list = Json::array();
    for (const float v : values) list.push_back(rounded(static_cast<double>(v)));
    return list;
}

}  // namespace sptune::models
