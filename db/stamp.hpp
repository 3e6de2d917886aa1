// Which file or folder lies at a path, and whether it still is the same.
#pragma once

#include <cstdint>
#include <filesystem>
#include <system_error>

namespace sptune::db {

/// Times in ns since 1970: programs that copy files set `modified` back, but nobody sets `changed`.
struct Stamp {
    enum class Kind { absent, file, folder, other };
    Kind kind = Kind::absent;
    std::uint64_t device = 0, inode = 0, size = 0;
    std::int64_t modified = 0, changed = 0;
    bool operator==(const Stamp&) const = default;

    /// Whether a change after `read_ns` would show. Clocks of file systems tick every 10 ms or more
    /// often, some once in two seconds.
    bool is_settled(std::int64_t read_ns) const;
};

/// Of what lies there now, behind links. `error` tells why that cannot be told.
Stamp stamp_of(const std::filesystem::path& path, std::error_code& error);

/// Of the system's clock, which file systems use.
std::int64_t now_ns();

}  // namespace sptune::db
