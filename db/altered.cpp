#include "db/altered.hpp"

#include "db/codec.hpp"
#include "db/seal.hpp"

#include <nlohmann/json.hpp>

namespace sptune::db {

bool is_altered(const nlohmann::ordered_json& document, const Entry& entry) {
    if (!has_broken_seal(document)) return false;
    nlohmann::ordered_json again = to_json(entry);
    again["checksum"] = document["checksum"];
    return has_broken_seal(again);
}

}  // namespace sptune::db
