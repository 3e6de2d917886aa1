// The commands below `sptune db`.
#pragma once

#include "db/databases.hpp"

#include <memory>
#include <string>
#include <vector>

namespace sptune::cli {

/// Whether there is a command `sptune db NAME`.
bool is_db_command(const std::string& name);

// As in commands.hpp: the words behind the command's name, an exit code.
int run_db_list(const std::vector<std::string>& args);
int run_db_show(const std::vector<std::string>& args);
int run_db_check(const std::vector<std::string>& args);
int run_db_export(const std::vector<std::string>& args);
int run_db_import(const std::vector<std::string>& args);
int run_db_merge(const std::vector<std::string>& args);
int run_db_prune(const std::vector<std::string>& args);

inline constexpr const char* kDbHelp =
    "the database: a folder or an exported file ($SPTUNE_DB, else ~/.local/share/sptune/db)";
/// Where something is written.
inline constexpr const char* kOwnDbHelp =
    "the folder of the database ($SPTUNE_DB, else ~/.local/share/sptune/db)";
inline constexpr const char* kDatabasesHelp =
    "the only database to ask: a folder or an exported file ($SPTUNE_DB, else those that `sptune "
    "info` lists)";

inline constexpr const char* kValidateHelp =
    "stored times whose driver, toolkit or vendor library has changed since: leave them out, say "
    "so, "
    "or take no notice ($SPTUNE_VALIDATE, else warn)";
/// "they …", of stored times for which something has changed.
inline const char* fate_of_stored(bool they_count) {
    return they_count ? "are taken over, --validate strict leaves them out"
                      : "are left out, as --validate asks";
}

/// The database at `named`, or the user's own when that is empty. Unusable entries are warned of.
db::Store open_db(const std::string& named);

/// All that are asked where `named` is what --db says: see db::places().
std::shared_ptr<const db::Databases> open_databases(const std::string& named);

/// Throws InputError where a database was named that is not there.
void require_db(const std::string& named);

/// What no output of a command may replace: its operands, the databases that are asked where `db`
/// is what --db says, and `model`, which --model says, or else $SPTUNE_MODEL.
std::vector<std::string> files_read(const std::vector<std::string>& operands, const std::string& db,
                                    const std::string& model = {});

/// open_db() for reading: the user's own may not be there yet, but one that was
/// named, by $SPTUNE_DB as well, has to be. Throws InputError.
db::Store open_existing_db(const std::string& named);

}  // namespace sptune::cli
