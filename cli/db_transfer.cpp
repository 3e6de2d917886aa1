// sptune db export, import, merge, prune: handing knowledge on and keeping it tidy.
#include "cli/db_command.hpp"
#include "cli/exit_code.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "db/t4.hpp"
#include "matrix/error.hpp"

#include <filesystem>

#include <fmt/format.h>

namespace sptune::cli {
namespace {

using Words = std::vector<std::string>;

/// Merges all of `sources`, which have to be there, and says what became of the entries.
int take_in(const Words& sources, const db::Store& target) {
    for (const std::string& source : sources) open_existing_db(source);
    db::MergeCount all;
    for (const std::string& source : sources) {
        const db::MergeCount count = db::merge(open_db(source), target);
        all.taken += count.taken;
        all.replaced += count.replaced;
        all.kept += count.kept;
        all.refused += count.refused;
    }
    write_text("-",
               fmt::format("{} taken, {} replaced, {} kept, {} refused; database {}\n", all.taken,
                           all.replaced, all.kept, all.refused, target.path().string()));
    return all.refused > 0 ? kRefused : kOk;
}

constexpr const char* kMergeRule =
    "Where both have an entry for the same matrix and device, the one with more kernels stays,\n"
    "then a complete one, then one that was measured on idle cores, then the newer one. taken: is\n"
    "new; replaced: pushed out another; kept: did not. Exit code 3 where some were refused; all\n"
    "others are in the database even then.";

/// The format that was asked for, else the one that the ending of the output tells.
std::string format_of(const std::string& asked, const std::string& output) {
    if (!asked.empty()) return asked;
    const std::string ending = std::filesystem::path(output).extension().string();
    if (ending == ".csv") return "csv";
    return ending == ".hpp" || ending == ".h" ? "header" : "json";
}

db::ExportFormat parse_format(const std::string& name) {
    if (name == "json") return db::ExportFormat::json;
    if (name == "csv") return db::ExportFormat::csv;
    if (name == "t4") return db::ExportFormat::t4;
    return db::ExportFormat::header;
}

/// "tuned-metadata.json" for "tuned.json".
std::string metadata_path(const std::string& output) {
    std::filesystem::path path(output);
    path.replace_filename(path.stem().string() + "-metadata" + path.extension().string());
    return path.string();
}

}  // namespace

int run_db_merge(const Words& args) {
    std::string into;
    Words sources;
    Options options("db merge", "FROM...", "Copies entries of other databases into one.");
    options.operands(sources, 1, 10'000)
        .text("into", "PATH", into, "folder to merge into ($SPTUNE_DB, else the user's own)")
        .text("db", "PATH", into, "the same as --into")
        .example("sptune db merge node1/db node2/db export.json --into all")
        .note(kMergeRule);
    if (!options.parse(args)) return kOk;
    return take_in(sources, open_db(into));
}

int run_db_import(const Words& args) {
    std::string db;
    Words file;
    Options options("db import", "FILE",
                    "Takes the entries of an exported file into the database.");
    options.operands(file, 1, 1)
        .text("db", "PATH", db, "folder to import into ($SPTUNE_DB, else the user's own)")
        .example("sptune db import tuned.json")
        .note(kMergeRule);
    if (!options.parse(args)) return kOk;
    return take_in(file, open_db(db));
}

int run_db_export(const Words& args) {
    std::string db, output = "-", format;
    Options options("db export", "", "Writes the whole database as one document.");
    options.text("output,o", "FILE", output, "where to (- is stdout)")
        .choice(
            "format", {"json", "csv", "t4", "header"}, format,
            "json: read by every sptune, for db import. csv: a row per candidate. t4: FAIR "
            "autotuning results 1.0.0, with FILE-metadata beside FILE, not on stdout. header: the "
            "winners for C++ (default: csv for FILE.csv, header for FILE.hpp and FILE.h, else "
            "json)")
        .text("db", "PATH", db, kDbHelp)
        .example("sptune db export -o tuned.json")
        .example("sptune db export -o candidates.csv")
        .example("sptune db export --format t4 -o results.json");
    if (!options.parse(args)) return kOk;
    format = format_of(format, output);
    const db::ExportFormat kind = parse_format(format);
    const bool with_metadata = kind == db::ExportFormat::t4 && !is_stream(output);
    const db::Store store = open_existing_db(db);
    require_outputs({{"-o", output}, {"-o", with_metadata ? metadata_path(output) : ""}},
                    {store.path().string()});
    write_text(output, db::export_store(store, kind));
    if (with_metadata) write_text(metadata_path(output), db::export_t4_metadata(store));
    if (!is_stream(output))
        warn(fmt::format("wrote {} as {}{}", output, format,
                         with_metadata ? ", and " + metadata_path(output) : ""));
    else if (kind == db::ExportFormat::t4)
        warn("the metadata that belongs to t4 results is left out; -o FILE writes both");
    return kOk;
}

int run_db_prune(const Words& args) {
    std::string db;
    int days = 30;
    bool dry_run = false;
    Options options(
        "db prune", "",
        "Removes invalid entries, old incomplete ones and left-over temporary files, and "
        "moves entries in the wrong folder to the right one.");
    options.integer("days", "N", days, 0, 36500, "age from which incomplete entries go (30)")
        .flag("dry-run", dry_run, "only list what would go")
        .text("db", "PATH", db, kOwnDbHelp)
        .example("sptune db prune --dry-run")
        .note(
            "Files that are not sptune's stay, as do entries that a later version has written.\n"
            "An entry in the wrong folder is removed where the right one has it already.");
    if (!options.parse(args)) return kOk;
    const db::Store::Pruned done = open_existing_db(db).prune(days, dry_run);
    std::string text;
    for (const std::string& file : done.removed) text += file + "\n";
    for (const auto& [from, to] : done.moved) text += fmt::format("{} -> {}\n", from, to);
    write_text("-", text);
    warn(fmt::format("{} {}removed, {} moved", done.removed.size(), dry_run ? "would be " : "",
                     done.moved.size()));
    return kOk;
}

}  // namespace sptune::cli
