#include "db/store.hpp"

#include "db/codec.hpp"
#include "db/digest_cache.hpp"
#include "db/document.hpp"
#include "db/export_index.hpp"
#include "db/knowledge.hpp"
#include "db/listing.hpp"
#include "db/scan.hpp"
#include "db/seal.hpp"
#include "matrix/atomic_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace sptune::db {

namespace fs = std::filesystem;

Store::Store(fs::path where, Warn warn) : where_(std::move(where)), warn_(std::move(warn)) {}

bool Store::read_only() const {
    return listing_of(where_)->kind == Listing::Kind::file;
}

void Store::require_writable() const {
    if (read_only())
        throw Error(where_.string() + " is a file, which is read-only; to write, name a folder");
    std::error_code ignored;
    fs::path folder = fs::absolute(where_);
    while (!fs::exists(folder, ignored) && folder.has_relative_path())
        folder = folder.parent_path();
    const bool is_folder = fs::is_directory(folder, ignored);
    if (!is_folder || ::access(folder.c_str(), W_OK | X_OK) != 0)
        throw Error(fmt::format(
            "the database {} cannot be written: {}: {}; name another folder with --db",
            where_.string(), folder.string(), std::strerror(is_folder ? errno : ENOTDIR)));
}

fs::path Store::entry_path(const std::string& device_key, const std::string& entry_key) const {
    return where_ / path_safe(device_key) / (path_safe(entry_key) + ".json");
}

void Store::warn(const std::string& file, const std::string& reason, Missed* missed) const {
    if (missed) missed->trouble = file + ": " + reason;
    if (warn_) warn_(file, "ignored: " + reason);
}

void Store::warn_of_altered(const std::string& file) const {
    if (warn_) warn_(file, fmt::format("used, but it {}", kAltered));
}

std::optional<Entry> Store::load(const std::string& device_key,
                                 const std::string& entry_key) const {
    std::optional<Entry> found;
    const auto take = [&](const Entry& entry) {
        // Two device keys may share a folder; the other device's entry is none of ours.
        if (entry.device.key == device_key && db::entry_key(entry) == entry_key) found = entry;
    };
    const auto file = entry_path(device_key, entry_key);
    try {
        if (read_only()) {
            scan(
                where_, [&](const std::string&, const Entry& entry) { take(entry); },
                [&](const std::string& name, const std::string& reason, Trouble trouble) {
                    if (trouble == Trouble::altered)
                        warn_of_altered(name);
                    else
                        warn(name, reason);
                });
        } else if (is_there(file)) {
            bool altered = false;
            take(read_entry(file, &altered));
            if (found && altered) warn_of_altered(file.string());
        }
    } catch (const InputError& e) {  // names the file itself
        warn(where_.string(), e.what());
    } catch (const std::exception& e) {
        warn(file.string(), e.what());
    }
    return found;
}

Glance Store::glance() const {
    return listing_of(where_);
}

std::optional<Digest> Store::digest(const std::string& device_key, const std::string& entry_key,
                                    Missed* missed, Extent extent, Glance seen) const {
    const auto cached_name = [&] {
        return fmt::format("{}/{}{}", device_key, entry_key, extent == Extent::all ? "/all" : "");
    };
    const Glance all = seen ? std::move(seen) : glance();
    if (all->kind == Listing::Kind::file) {
        try {
            std::vector<std::string> others;
            auto known = cached_digest(where_, cached_name(), [&] {
                std::optional<Digest> found;
                for (Digest& digest : ExportIndex::of(where_)->find(entry_key, extent))
                    if (digest.device.key == device_key)
                        found = std::move(digest);
                    else
                        others.push_back(digest.device.key);
                return found;
            });
            if (missed && !known) missed->others = std::move(others);
            if (known && known->altered)
                warn_of_altered(fmt::format("{}: the entry of {}", where_.string(), entry_key));
            return known;
        } catch (const std::exception& e) {
            warn(where_.string(), e.what(), missed);
            return std::nullopt;
        }
    }
    // Most are not there; putting paths together takes longer than looking.
    const std::string own = path_safe(device_key), name = path_safe(entry_key) + ".json";
    const std::string file = where_.native() + "/" + own + "/" + name;
    try {
        if (is_there(file))
            if (auto digest = cached_digest(file, cached_name(), [&]() -> std::optional<Digest> {
                    Digest read = read_digest(file, entry_key, extent);
                    return read.device.key == device_key ? std::optional(std::move(read))
                                                         : std::nullopt;
                })) {
                if (digest->altered) warn_of_altered(file);
                return digest;
            }
    } catch (const std::exception& e) {
        warn(file, e.what(), missed);
    }
    if (!missed) return std::nullopt;
    for (const auto& [folder, is_folder] : all->names) {
        std::error_code unknown;
        if (is_folder && folder != own && fs::exists(where_ / folder / name, unknown))
            missed->others.push_back(folder);
    }
    missed->absent = all->kind == Listing::Kind::absent;
    if (all->error && !missed->absent) warn(where_.string(), all->error.message(), missed);
    return std::nullopt;
}

bool Store::may_know(const std::string& device_key) const {
    const auto all = listing_of(where_);
    if (all->kind == Listing::Kind::file) {
        try {
            return ExportIndex::of(where_)->knows(device_key);
        } catch (const std::exception&) {  // who asks digest() is told why
            return true;
        }
    }
    const std::string folder = path_safe(device_key);
    std::error_code unknown;
    return all->error ? fs::is_directory(where_ / folder, unknown) : all->has_folder(folder);
}

bool Store::is_empty() const {
    const auto all = listing_of(where_);
    return all->kind == Listing::Kind::absent ||
           (all->kind == Listing::Kind::folder && !all->error &&
            std::ranges::none_of(all->names, [](const auto& name) { return name.second; }));
}

std::optional<Device> Store::device(const std::string& device_key) const {
    std::error_code error;
    fs::directory_iterator it(where_ / path_safe(device_key), error);
    for (const fs::directory_iterator end; !error && it != end; it.increment(error)) {
        if (it->path().extension() != ".json" || AtomicFile::is_temporary(it->path())) continue;
        try {
            Device found = read_device(it->path());
            if (found.key == device_key) return found;
        } catch (const std::exception&) {  // the next one may do
        }
    }
    return std::nullopt;
}

void Store::save(const Entry& entry) const {
    require_writable();
    auto json = to_json(entry);
    const auto file = entry_path(entry.device.key, entry_key(entry));
    try {
        entry_from_json(json);  // what is written can be read
    } catch (const Error& e) {
        throw Error("the entry for " + file.string() + " is not valid: " + e.what());
    }
    try {
        read_entry(file);
    } catch (const NewerSchema& e) {
        throw NewerSchema(file.string() + " is not replaced: " + e.what());
    } catch (const Error&) {  // nothing there, or nothing worth keeping
    }
    std::error_code error;
    fs::create_directories(file.parent_path(), error);
    if (error)
        throw Error("cannot make the folder " + file.parent_path().string() + ": " +
                    error.message());
    AtomicFile out(file);
    seal(json, Layout::lines);
    out.write(to_text(json));
    out.commit();
}

int Store::for_each(const std::function<void(const std::string&, const Entry&)>& visit) const {
    int unusable = 0;
    scan(where_, visit, [&](const std::string& file, const std::string& reason, Trouble trouble) {
        if (trouble == Trouble::altered) return warn_of_altered(file);
        unusable += trouble != Trouble::foreign;
        warn(file, reason);
    });
    return unusable;
}

std::vector<Summary> Store::list() const {
    std::vector<Summary> summaries;
    for_each([&](const std::string& file, const Entry& e) {
        summaries.push_back({.file = file,
                             .device_key = e.device.key,
                             .key = entry_key(e),
                             .matrix = e.matrix.name,
                             .winner = e.winner,
                             .op = e.op,
                             .value = e.value,
                             .index = e.index,
                             .cache = e.cache,
                             .threads = e.device.threads,
                             .fingerprint = e.matrix.fingerprint,
                             .rows = e.matrix.rows,
                             .cols = e.matrix.cols,
                             .nnz = e.matrix.nnz,
                             .speedup = e.speedup_vs_baseline,
                             .complete = e.complete,
                             .variants = e.provenance.variants,
                             .created_utc = e.provenance.created_utc,
                             .cores_busy = were_cores_busy(e),
                             .one_value = had_one_value(e)});
    });
    return summaries;
}

Store::Check Store::check() const {
    Check result;
    scan(
        where_,
        [&](const std::string& file, const Entry&) {
            result.valid += result.faults.empty() || result.faults.back().file != file;
        },
        [&](const std::string& file, const std::string& reason, Trouble trouble) {
            if (trouble == Trouble::foreign)
                warn(file, reason);
            else
                result.faults.push_back({file, reason});
        });
    return result;
}

fs::path default_path() {
    const auto variable = [](const char* name) {
        const char* value = std::getenv(name);
        return fs::path(value ? value : "");
    };
    if (const auto db = variable("SPTUNE_DB"); !db.empty()) return db;
    if (const auto data = variable("XDG_DATA_HOME"); data.is_absolute())
        return data / "sptune" / "db";
    if (const auto home = variable("HOME"); !home.empty())
        return home / ".local" / "share" / "sptune" / "db";
    throw Error(
        "no place for the database: neither SPTUNE_DB, XDG_DATA_HOME nor HOME is set; name a "
        "folder with --db (what measures or chooses does without one, too: --no-db)");
}

}  // namespace sptune::db
