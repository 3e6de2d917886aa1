#include "db/databases.hpp"

#include "matrix/error.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace sptune::db {
namespace {

namespace fs = std::filesystem;
using Owner = Place::Owner;

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

/// $XDG_DATA_DIRS, or what counts in its place.
std::vector<fs::path> system_folders() {
    std::string list = variable("XDG_DATA_DIRS");
    if (list.empty()) list = "/usr/local/share:/usr/share";
    std::vector<fs::path> folders;
    std::istringstream words(list);
    for (std::string word; std::getline(words, word, ':');)
        if (const fs::path folder(word); folder.is_absolute()) folders.push_back(folder);
    return folders;
}

}  // namespace

std::string_view to_string(Owner owner) {
    switch (owner) {
        case Owner::named:
            return "named";
        case Owner::user:
            return "user";
        case Owner::system:
            return "system";
        case Owner::built_in:
            break;
    }
    return "built-in";
}

std::vector<Place> places(const std::string& named) {
    if (!named.empty()) return {{Owner::named, named}};
    if (const std::string db = variable("SPTUNE_DB"); !db.empty()) return {{Owner::named, db}};
    std::vector<Place> all;
    try {
        all.push_back({Owner::user, default_path()});
    } catch (const Error&) {  // no home
    }
    for (const fs::path& folder : system_folders())
        for (const char* name : {"db", "db.json"})
            all.push_back({Owner::system, folder / "sptune" / name});
    if (!built_in_path().empty()) all.push_back({Owner::built_in, built_in_path()});
    return all;
}

Databases::Databases(const std::string& named, const Warn& warn) {
    for (Place& place : places(named)) {
        std::error_code error;
        const bool own = place.owner == Owner::named || place.owner == Owner::user;
        if (!own && fs::status(place.path, error).type() == fs::file_type::not_found) continue;
        Store store(place.path, warn);
        items_.push_back({std::move(place), std::move(store)});
    }
}

Databases::Databases(Store store) {
    Place place{Owner::named, store.path()};
    items_.push_back({std::move(place), std::move(store)});
}

const Store* Databases::own() const {
    if (items_.empty()) return nullptr;
    const Owner owner = items_.front().place.owner;
    return owner == Owner::named || owner == Owner::user ? &items_.front().store : nullptr;
}

bool Databases::may_know(const std::string& device_key) const {
    return std::any_of(items_.begin(), items_.end(),
                       [&](const Item& item) { return item.store.may_know(device_key); });
}

bool Databases::are_empty() const {
    return std::all_of(items_.begin(), items_.end(),
                       [](const Item& item) { return item.store.is_empty(); });
}

std::optional<Device> Databases::device(const std::string& device_key) const {
    const std::lock_guard lock(remembered_->mutex);
    auto& known = remembered_->devices;
    if (const auto found = known.find(device_key); found != known.end()) return found->second;
    for (const Item& item : items_) {
        auto found = item.store.device(device_key);
        if (!found) continue;
        // What lacks a bandwidth may be followed by one that does not.
        if (found->bandwidth_gbs > 0) known.emplace(device_key, *found);
        return found;
    }
    return std::nullopt;
}

}  // namespace sptune::db
