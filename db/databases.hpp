// The databases that are asked, one after the other: the user's own, the system's, and the one that
// was installed with sptune.
#pragma once

#include "db/store.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace sptune::db {

/// Where a database lies and whose it is.
struct Place {
    enum class Owner { named, user, system, built_in };
    Owner owner = Owner::named;
    std::filesystem::path path;
};
std::string_view to_string(Place::Owner owner);  ///< "named", "user", "system", "built-in"

/// All that would be asked, whether there is anything or not, in this order:
///  - `named` alone, a folder or an exported file, unless it is empty; else $SPTUNE_DB alone, if
///    that is set: what a program is told to use is all that it uses;
///  - else $XDG_DATA_HOME/sptune/db (~/.local/share/sptune/db), left out where no home is known;
///  - sptune/db, a folder, and sptune/db.json, an exported file, in each of $XDG_DATA_DIRS
///    (/usr/local/share and /usr/share);
///  - built_in_path(), if any.
/// As the XDG specification asks, empty variables and relative folders count as unset.
std::vector<Place> places(const std::string& named = {});

/// share/sptune/built-in.json beside the program or library that this code is in (the nearest of
/// the folders above it that has one), else where it would be after an installation to the prefix
/// of the build. Looked for once.
const std::filesystem::path& built_in_path();

/// Read in the order of places(), where each is one that there is. Only the first is ever written,
/// and only where it is the user's own or was named.
class Databases {
  public:
    struct Item {
        Place place;
        Store store;
    };

    Databases() = default;
    /// Those of places(named). Unusable entries, and databases that cannot be read, are warned of
    /// when they are asked.
    explicit Databases(const std::string& named, const Warn& warn = {});
    /// This one alone.
    explicit Databases(Store store);

    /// In the order in which they are to be asked: the first that knows something decides.
    const std::vector<Item>& all() const { return items_; }
    /// The one to write to; nullptr: none.
    const Store* own() const;

    /// As those of Store, over all.
    bool may_know(const std::string& device_key) const;
    bool are_empty() const;
    /// Once found with a bandwidth it is remembered: reading takes as long as a small choice.
    std::optional<Device> device(const std::string& device_key) const;

  private:
    struct Remembered {
        std::mutex mutex;
        std::map<std::string, Device> devices;
    };
    std::vector<Item> items_;
    std::shared_ptr<Remembered> remembered_ = std::make_shared<Remembered>();
};

}  // namespace sptune::db
