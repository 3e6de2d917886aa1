#include "db/codec.hpp"
#include "db/document.hpp"
#include "db/scan.hpp"
#include "db/store.hpp"

#include <algorithm>
#include <chrono>
#include <map>

#include <nlohmann/json.hpp>

namespace sptune::db {

namespace fs = std::filesystem;

namespace {

struct Victim {
    std::string file;
    std::optional<Entry> entry;  ///< where it holds one, wherever that belongs
    fs::path place;              ///< where that belongs

    /// What is no entry at all goes first: it may lie where another one belongs. An old one in its
    /// place goes before a misplaced one that is to take it.
    int turn() const { return !entry ? 0 : file == place ? 1 : 2; }
};

std::optional<Entry> entry_in(const fs::path& file) {
    try {
        return entry_from_json(parse_document(read_text(file)));
    } catch (const Error&) {
        return std::nullopt;
    }
}

void remove(const std::string& file) {
    std::error_code error;
    fs::remove(file, error);
    if (error) throw Error("cannot remove " + file + ": " + error.message());
}

}  // namespace

Store::Pruned Store::prune(int days, bool dry_run) const {
    require_writable();
    const auto age = std::chrono::hours(24) * std::clamp(days, 0, 36500);
    const std::string cutoff = utc_time(std::chrono::system_clock::now() - age);
    const auto is_old = [&](const Entry& entry) {
        return !entry.complete && entry.provenance.created_utc < cutoff;
    };
    std::vector<std::string> files;
    scan(
        where_,
        [&](const std::string& file, const Entry& entry) {
            if (is_old(entry)) files.push_back(file);
        },
        [&](const std::string& file, const std::string& reason, Trouble trouble) {
            if (trouble == Trouble::invalid) files.push_back(file);
            if (trouble == Trouble::foreign || trouble == Trouble::broken) warn(file, reason);
        });
    for (const fs::path& file : leftovers(where_)) files.push_back(file.string());

    std::vector<Victim> victims;
    for (const std::string& file : files) {
        Victim victim{file, entry_in(file), {}};
        if (victim.entry)
            victim.place = entry_path(victim.entry->device.key, entry_key(*victim.entry));
        // Another process may have put a good one there since.
        if (victim.turn() == 1 && !is_old(*victim.entry)) continue;
        victims.push_back(std::move(victim));
    }
    std::ranges::stable_sort(victims, {}, &Victim::turn);

    Pruned done;
    std::map<fs::path, bool> as_if;  // what would be there by then, of a dry run
    const auto is_free = [&](const fs::path& place) {
        const auto found = as_if.find(place);
        return found == as_if.end() ? !is_there(place) : !found->second;
    };
    for (const Victim& victim : victims) {
        const bool moves = victim.turn() == 2 && is_free(victim.place);
        if (moves)
            done.moved.emplace_back(victim.file, victim.place.string());
        else
            done.removed.push_back(victim.file);
        if (dry_run) {
            as_if[victim.file] = false;
            if (moves) as_if[victim.place] = true;
            continue;
        }
        if (moves) save(*victim.entry);  // the only copy: where it cannot be saved it stays
        remove(victim.file);
    }
    return done;
}

}  // namespace sptune::db
