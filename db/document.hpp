// JSON files of the database as text: read with distrust, written for people and for diff.
#pragma once

#include "matrix/error.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace sptune::db {

/// The system does not let us look, which says nothing about what is there.
class Unreadable : public Error {
  public:
    using Error::Error;
};

/// How large a file may be that is read: an entry or a model, and an export of many entries.
inline constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;
inline constexpr std::uint64_t kMostExportBytes = std::uint64_t{2} << 30;

/// The content of a regular file. Throws Unreadable with the reason, without the path.
std::string read_text(const std::filesystem::path& file, std::uint64_t most = kMostBytes);

/// Parses untrusted text. Throws Error for what is not JSON or is nested deeper, has larger objects
/// or more values than any document of ours of that size.
nlohmann::ordered_json parse_document(std::string_view text);

/// Throws Error unless document["schema"] is "NAME/1"; NewerSchema for a higher number.
void require_schema(const nlohmann::ordered_json& document, std::string_view name);

/// One line for each member of the document, and for each element of an array among them, so that
/// diff and grep show candidates. What is not UTF-8 in a string is replaced.
std::string to_text(const nlohmann::ordered_json& document);
/// All on one line, without an end of it.
std::string to_line(const nlohmann::ordered_json& document);

}  // namespace sptune::db
