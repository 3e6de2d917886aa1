// Where results go.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

namespace sptune::cli {

/// Writes `text` to the file `target`, or to stdout for "-". Throws Error when it cannot.
void write_text(const std::string& target, const std::string& text);

/// The same for a document, indented; names that are not UTF-8 are repaired rather than refused.
void write_json(const std::string& target, const nlohmann::ordered_json& document);

/// A line on stderr: "sptune: TEXT".
void warn(const std::string& text);

}  // namespace sptune::cli
