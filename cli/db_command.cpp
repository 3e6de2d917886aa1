// sptune db COMMAND
#include "cli/db_command.hpp"

#include "cli/commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/nearest.hpp"
#include "cli/output.hpp"
#include "matrix/error.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sptune::cli {
namespace {

using Words = std::vector<std::string>;

struct DbCommand {
    const char* name;
    const char* help;
    int (*run)(const Words& args);
};

constexpr std::array kCommands{
    DbCommand{"list", "what is in the database", run_db_list},
    DbCommand{"show", "everything about one entry", run_db_show},
    DbCommand{"export", "the whole database as one document: JSON, csv, T4 or a C++ header",
              run_db_export},
    DbCommand{"import", "take in an exported document", run_db_import},
    DbCommand{"merge", "copy entries of other databases into one", run_db_merge},
    DbCommand{"check", "is every entry readable and valid?", run_db_check},
    DbCommand{"prune", "remove what is of no use", run_db_prune},
};

/// Once: a command may ask a database more than once.
void warn_of(const std::string& file, const std::string& reason) {
    static std::mutex mutex;
    static std::set<std::pair<std::string, std::string>> said;
    const std::lock_guard lock(mutex);
    if (said.emplace(file, reason).second) warn(file + ": " + reason);
}

/// Named by --db or, where that is empty, by the environment.
std::string name_of(const std::string& named) {
    const auto places = db::places(named);
    const bool is_named = !places.empty() && places.front().owner == db::Place::Owner::named;
    return is_named ? places.front().path.string() : "";
}

/// Where they are passed over: the entries of a database lie in folders.
bool has_entries_itself(const std::string& folder) {
    std::error_code error;
    std::filesystem::directory_iterator it(folder, error);
    for (const std::filesystem::directory_iterator end; !error && it != end; it.increment(error))
        if (it->path().extension() == ".json" && db::is_entry_key(it->path().stem().string()))
            return true;
    return false;
}

std::string overview() {
    std::string out = "Usage: sptune db COMMAND [ARGUMENT...]\n\nThe tuning database.\n\n";
    for (const DbCommand& command : kCommands)
        out += fmt::format("  {:<8}{}\n", command.name, command.help);
    return out + "\nExamples:\n  sptune db list\n  sptune db export --help\n";
}

}  // namespace

void require_db(const std::string& named) {
    if (!named.empty() && !std::filesystem::exists(named))
        throw InputError(named, 0, "there is no such database");
}

db::Store open_db(const std::string& named) {
    return db::Store(named.empty() ? db::default_path() : std::filesystem::path(named), warn_of);
}

std::shared_ptr<const db::Databases> open_databases(const std::string& named) {
    return std::make_shared<const db::Databases>(named, warn_of);
}

Words files_read(const Words& operands, const std::string& db, const std::string& model) {
    const char* const variable = std::getenv("SPTUNE_MODEL");
    Words files = operands;
    files.push_back(!model.empty() ? model : variable ? variable : "");
    for (const db::Place& place : db::places(db)) files.push_back(place.path.string());
    return files;
}

db::Store open_existing_db(const std::string& named) {
    require_db(named);
    const std::string name = name_of(named);
    if (named.empty() && !name.empty() && !std::filesystem::exists(name))
        throw InputError(name, 0,
                         "there is no such database, which $SPTUNE_DB names; begin it with: "
                         "sptune profile MATRIX.mtx");
    if (has_entries_itself(name))
        warn(fmt::format(
            "{} is the folder of one device, whose entries are not looked for there; the "
            "database is {}",
            name, std::filesystem::canonical(name).parent_path().string()));
    return open_db(named);
}

bool is_db_command(const std::string& name) {
    return std::ranges::any_of(kCommands, [&](const DbCommand& c) { return c.name == name; });
}

int run_db(const Words& args) {
    Words names;
    for (const DbCommand& command : kCommands) {
        if (!args.empty() && args[0] == command.name)
            return command.run(Words(args.begin() + 1, args.end()));
        names.push_back(command.name);
    }
    if (args.empty()) throw UsageError(fmt::format("db needs one of: {}", fmt::join(names, ", ")));
    if (args[0] != "--help" && args[0] != "-h")
        throw UsageError(
            fmt::format("there is no command \"db {}\"{}", args[0], did_you_mean(args[0], names)));
    write_text("-", overview());
    return kOk;
}

}  // namespace sptune::cli
