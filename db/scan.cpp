#include "db/scan.hpp"

#include "db/altered.hpp"
#include "db/codec.hpp"
#include "db/document.hpp"
#include "db/seal.hpp"
#include "matrix/atomic_file.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace sptune::db {
namespace {

namespace fs = std::filesystem;

/// What lies in `folder`, sorted. Throws Unreadable.
std::vector<fs::directory_entry> sorted_content(const fs::path& folder) {
    std::vector<fs::directory_entry> content;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        content.push_back(*it);
    if (error) throw Unreadable(error.message());
    std::ranges::sort(content, {}, [](const auto& item) { return item.path().native(); });
    return content;
}

/// Failures of `read` are about the database as a whole.
template <class Read>
auto about(const fs::path& where, const Read& read) {
    try {
        return read();
    } catch (const Error& e) {
        throw InputError(where.string(), 0, e.what());
    }
}

bool has_entry_name(const fs::path& file) {
    return file.extension() == ".json" && is_entry_key(file.stem().string());
}

/// What is wrong with a file that is none, nor a link to one. Nothing of it is opened: that of a
/// pipe would last until somebody writes to it.
std::string why_no_file(const fs::directory_entry& item) {
    std::error_code error;
    const fs::file_type type = item.status(error).type();
    if (type == fs::file_type::directory) return "is a folder";
    if (type == fs::file_type::not_found) return "is a link to nothing";
    return type == fs::file_type::none ? error.message() : "is not a file";
}

/// Regular files two levels down; links to files and folders are followed, as a look-up does, but
/// for those back to `where`. Of anything else only what has the name of an entry is worth a word.
/// Hidden folders are left aside.
template <class Each, class Failed>
void for_each_file(const fs::path& where, const Each& each, const Failed& failed) {
    std::error_code ignored;  // a file that has just gone is no file
    for (const auto& folder : about(where, [&] { return sorted_content(where); })) {
        if (folder.path().filename().native().starts_with('.')) continue;
        if (folder.status(ignored).type() != fs::file_type::directory) continue;
        if (folder.is_symlink(ignored) && fs::equivalent(folder, where, ignored)) continue;
        std::vector<fs::directory_entry> content;
        try {
            content = sorted_content(folder.path());
        } catch (const Unreadable& e) {
            failed(folder.path(), e.what());
        }
        for (const auto& file : content) {
            if (file.symlink_status(ignored).type() == fs::file_type::not_found) continue;
            if (file.status(ignored).type() == fs::file_type::regular)
                each(file.path());
            else if (has_entry_name(file.path()))
                failed(file.path(), why_no_file(file));
        }
    }
}

/// Only what `decode` throws is about the entry; failures of `visit` are the caller's.
template <class Decode>
void deliver(const std::string& file, const Decode& decode, const Visit& visit,
             const Refuse& refuse) {
    std::optional<Entry> entry;
    bool altered = false;
    try {
        entry = decode(altered);
    } catch (const NewerSchema& e) {
        return refuse(file, e.what(), Trouble::newer);
    } catch (const Unreadable& e) {
        return refuse(file, e.what(), Trouble::unreadable);
    } catch (const Error& e) {
        return refuse(file, e.what(), Trouble::invalid);
    }
    if (altered) refuse(file, kAltered, Trouble::altered);
    visit(file, *entry);
}

/// A file without the name of an entry is not ours, whatever it holds, but has to be JSON.
void refuse_foreign(const fs::path& file, const Refuse& refuse) {
    try {
        if (!nlohmann::json::accept(read_text(file)))
            return refuse(file.string(),
                          "is not JSON, and not named as an entry; left alone, remove it by hand",
                          Trouble::broken);
    } catch (const Unreadable&) {  // nor did anybody ask us to look into it
    }
    refuse(file.string(), "is no entry of sptune's; left alone", Trouble::foreign);
}

void scan_directory(const fs::path& where, const Visit& visit, const Refuse& refuse) {
    for_each_file(
        where,
        [&](const fs::path& file) {
            if (file.extension() != ".json" || AtomicFile::is_temporary(file)) return;
            if (!is_entry_key(file.stem().string())) return refuse_foreign(file, refuse);
            deliver(
                file.string(), [&](bool& altered) { return read_entry(file, &altered); }, visit,
                refuse);
        },
        [&](const fs::path& path, const std::string& reason) {
            refuse(path.string(), reason, Trouble::unreadable);
        });
}

nlohmann::ordered_json read_export(const fs::path& where) {
    const auto document = parse_document(read_text(where, kMostExportBytes));
    require_schema(document, "sptune.export");
    const auto entries = document.find("entries");
    if (entries == document.end() || !entries->is_array())
        throw Error("entries: expected an array");
    return *entries;
}

void scan_document(const fs::path& where, const Visit& visit, const Refuse& refuse) {
    const auto entries = about(where, [&] { return read_export(where); });
    for (std::size_t i = 0; i < entries.size(); ++i)
        deliver(
            fmt::format("{}: entries[{}]", where.string(), i),
            [&](bool& altered) {
                Entry entry = entry_from_json(entries[i]);
                altered = is_altered(entries[i], entry);
                return entry;
            },
            visit, refuse);
}

}  // namespace

bool is_there(const std::string& file) {
    struct stat status;
    if (::lstat(file.c_str(), &status) == 0) return true;
    const int error = errno;
    if (error == ENOENT || error == ENOTDIR) return false;
    throw Unreadable(std::generic_category().message(error));
}

Entry read_entry(const fs::path& file, bool* altered) {
    const std::string text = read_text(file);
    const auto decoded = [&] {
        try {
            const auto document = parse_document(text);
            Entry read = entry_from_json(document);
            if (altered) *altered = !is_sealed(text) && is_altered(document, read);
            return read;
        } catch (const NewerSchema&) {
            throw;
        } catch (const Error& e) {
            throw Error(fmt::format(
                "{}; `sptune profile` measures it again, `sptune db prune` removes it", e.what()));
        }
    };
    Entry entry = decoded();
    const auto place = fs::path(path_safe(entry.device.key)) / (entry_key(entry) + ".json");
    if (place != file.parent_path().filename() / file.filename())
        throw Error(fmt::format(
            "holds the entry that belongs at {}; `sptune db prune` moves it there, or removes it "
            "where there is one",
            place.string()));
    return entry;
}

void scan(const fs::path& where, const Visit& visit, const Refuse& refuse) {
    std::error_code error;
    const fs::file_status status = fs::status(where, error);
    if (status.type() == fs::file_type::not_found) return;
    if (status.type() == fs::file_type::directory) return scan_directory(where, visit, refuse);
    if (status.type() == fs::file_type::regular) return scan_document(where, visit, refuse);
    throw InputError(
        where.string(), 0,
        error ? error.message() : "is neither a folder of entries nor an exported document");
}

std::vector<fs::path> leftovers(const fs::path& where) {
    constexpr std::chrono::hours kNoWriterTakesThisLong{1};
    std::vector<fs::path> found;
    if (!fs::is_directory(where)) return found;
    for_each_file(
        where,
        [&](const fs::path& file) {
            std::error_code error;
            const auto written = fs::last_write_time(file, error);
            const auto age = fs::file_time_type::clock::now() - written;
            if (!error && AtomicFile::is_temporary(file) && age > kNoWriterTakesThisLong)
                found.push_back(file);
        },
        [](const fs::path&, const std::string&) {});
    return found;
}

}  // namespace sptune::db
