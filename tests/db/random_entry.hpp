// Valid entries in which every field holds something random.
#pragma once

#include "db/entry.hpp"

#include <cstdint>
#include <filesystem>

namespace sptune::db {

/// The same entry for the same seed. Its key depends on the seed; it has at least one candidate.
Entry random_entry(std::uint64_t seed);

/// Where it belongs inside a database.
inline std::filesystem::path file_of(const Entry& entry) {
    return std::filesystem::path(entry.device.key) / (entry_key(entry) + ".json");
}

}  // namespace sptune::db
