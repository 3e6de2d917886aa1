// What lies in a folder, remembered for a moment.
#pragma once

#include "db/stamp.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>

namespace sptune::db {

struct Listing {
    using Kind = Stamp::Kind;
    Kind kind = Kind::absent;
    std::map<std::string, bool, std::less<>> names;  ///< of a folder; whether it is one itself
    std::error_code error;                           ///< why a folder could not be read

    bool has_folder(std::string_view name) const {
        const auto found = names.find(name);
        return found != names.end() && found->second;
    }
};

/// Of `path` as it is now. A folder is read again after a second, and when its time stamps have
/// changed or were so fresh that a later change might have left them the same; to ask for them
/// takes a tenth of the time that reading takes. For folders of few names. Threads may ask at once.
std::shared_ptr<const Listing> listing_of(const std::filesystem::path& path);

}  // namespace sptune::db
