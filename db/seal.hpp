// Checksums of entries: what carries a true one was written by sptune and has not changed since, so
// that a part of it can be believed without reading the rest.
#pragma once

#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace sptune::db {

/// How a document is laid out: as to_text() does, or on one line.
enum class Layout { lines, one_line };

/// Adds "checksum", the last member: XXH3 (64 bits, in hexadecimal) of the text up to the comma in
/// front of it.
void seal(nlohmann::ordered_json& document, Layout layout);

/// Whether the text ends with the checksum of what comes before, in either layout. Who edits a
/// document by hand breaks its seal, and it is read in full from then on.
bool is_sealed(std::string_view text);

/// Whether the document carries a checksum that is not its own: something has changed in it since,
/// other than its layout. None at all
/// breaks nothing: it is from before there were any, or somebody has removed it to vouch for the
/// rest.
bool has_broken_seal(const nlohmann::ordered_json& document);

}  // namespace sptune::db
