// Where the entries of an exported document lie: a process reads all of it once, and then only
// what it looks for. One that another program has laid out is read once, too, and kept.
#pragma once

#include "db/digest.hpp"
#include "db/stamp.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sptune::db {

class ExportIndex {
  public:
    /// Of `file` as it is now: made anew where it has been replaced or changed. Throws Error where
    /// it cannot be read or is something else.
    static std::shared_ptr<const ExportIndex> of(const std::filesystem::path& file);

    /// Whether there are entries for a device.
    bool knows(const std::string& device_key) const { return devices_.contains(device_key); }

    /// What choosing needs of those with this key, whatever their device, and more than `extent` of
    /// a document in another layout. Throws Error where there are none but invalid ones.
    std::vector<Digest> find(const std::string& entry_key, Extent extent = Extent::most) const;

  private:
    struct Span {
        std::uint64_t begin = 0, size = 0;
    };

    explicit ExportIndex(const std::filesystem::path& file);
    bool index_lines(std::string_view text);
    void add_line(std::string_view line, std::uint64_t begin);

    std::filesystem::path file_;
    std::set<std::string, std::less<>> devices_;
    // Of a document that sptune has laid out itself, a line for each entry.
    std::multimap<std::string, Span, std::less<>> lines_;  ///< by fingerprint
    // Of one in another layout.
    std::multimap<std::string, Digest> digests_;   ///< by key
    std::map<std::string, std::string> failures_;  ///< of invalid ones, by key
};

}  // namespace sptune::db
