// sptune db list, show, check: looking at the tuning database.
#include "cli/db_command.hpp"
#include "cli/exit_code.hpp"
#include "cli/matrix_input.hpp"
#include "cli/nearest.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/product_pair.hpp"
#include "cli/profile_report.hpp"
#include "cli/table.hpp"
#include "db/altered.hpp"
#include "db/codec.hpp"
#include "db/csv.hpp"
#include "db/document.hpp"
#include "db/scan.hpp"
#include "features/features.hpp"
#include "matrix/error.hpp"
#include "matrix/number.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <span>
#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace sptune::cli {
namespace {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

/// Of a fingerprint, in `db list`: tells matrices of the same name apart.
constexpr std::size_t kShownDigits = 8;

/// As a key ends with it and `db list` begins it.
std::string fingerprint_text(std::uint64_t fingerprint) {
    return fmt::format("{:016x}", fingerprint);
}

/// Once list() has warned of what it could not read.
void say_empty(const db::Store& store) {
    const bool nothing = store.check().faults.empty();
    warn(fmt::format("the database {} {}; fill it with: sptune profile MATRIX.mtx",
                     store.path().string(), nothing ? "is empty" : "holds no valid entry"));
}

Json list_document(const db::Store& store, const std::vector<db::Summary>& entries) {
    Json document{{"schema", "sptune.list/1"}, {"db", store.path().string()}};
    Json& rows = document["entries"] = Json::array();
    for (const db::Summary& e : entries)
        rows.push_back({{"matrix", e.matrix},
                        {"rows", e.rows},
                        {"cols", e.cols},
                        {"nnz", e.nnz},
                        {"device_key", e.device_key},
                        {"key", e.key},
                        {"op", to_string(e.op)},
                        {"precision", to_string(e.value)},
                        {"index", to_string(e.index)},
                        {"cache", e.cache},
                        {"threads", e.threads},
                        {"fingerprint", fingerprint_text(e.fingerprint)},
                        {"winner", e.winner.empty() ? Json() : Json(e.winner)},
                        {"speedup_vs_baseline", e.speedup},
                        {"complete", e.complete},
                        {"variants", e.variants ? Json(*e.variants) : Json()},
                        {"cores_busy", e.cores_busy},
                        {"one_value", e.one_value},
                        {"created_utc", e.created_utc},
                        {"file", e.file}});
    return document;
}

std::string list_table(const std::vector<db::Summary>& entries) {
    const auto marked = [](const db::Summary& e) { return e.cores_busy && !e.winner.empty(); };
    Table table({{"matrix", Align::left},
                 {"fingerprint", Align::left},
                 {"rows × columns"},
                 {"nonzeros"},
                 {"what", Align::left},
                 {"device", Align::left},
                 {"threads"},
                 {"winner", Align::left},
                 {"speed-up"},
                 {"complete", Align::left},
                 {"when (UTC)", Align::left}});
    for (const db::Summary& e : entries) {
        std::string when = e.created_utc.substr(0, 16);
        when[10] = ' ';
        const std::string print = fingerprint_text(e.fingerprint).substr(0, kShownDigits);
        // Of all kernels, or of those that `profile --variants` has left.
        const char* const complete = !e.complete ? "no" : e.variants ? "a part" : "yes";
        table.add(
            {fit(printable(e.matrix), 24), print, count(e.rows) + " × " + count(e.cols),
             count(e.nnz), e.key.substr(0, e.key.rfind('-')), fit(printable(e.device_key), 32),
             std::to_string(e.threads), e.winner.empty() ? "none" : fit(printable(e.winner), 60),
             e.speedup > 0 ? factor(e.speedup) + (marked(e) ? "*" : "") : "-", complete, when},
            e.complete ? Tone::plain : Tone::dim);
    }
    std::string text = table.render(Style(stdout));
    if (std::ranges::any_of(entries, marked))
        text += "*: a core was busy with something else, so that times may be too long\n";
    return text;
}

/// The document without the files, a row for each entry; nothing cut short.
std::string list_csv(const std::vector<db::Summary>& entries) {
    std::string text =
        db::csv_line({"matrix", "fingerprint", "rows", "cols", "nnz", "device_key", "key", "op",
                      "precision", "index", "cache", "threads", "winner", "speedup_vs_baseline",
                      "complete", "variants", "created_utc", "cores_busy", "one_value"});
    for (const db::Summary& e : entries)
        text +=
            db::csv_line({e.matrix, fingerprint_text(e.fingerprint), fmt::format("{}", e.rows),
                          fmt::format("{}", e.cols), fmt::format("{}", e.nnz), e.device_key, e.key,
                          std::string(to_string(e.op)), std::string(to_string(e.value)),
                          std::string(to_string(e.index)), e.cache, fmt::format("{}", e.threads),
                          e.winner, e.winner.empty() ? "" : fmt::format("{}", e.speedup),
                          fmt::format("{}", e.complete), e.variants.value_or(""), e.created_utc,
                          fmt::format("{}", e.cores_busy), fmt::format("{}", e.one_value)});
    return text;
}

/// "table" and others that a command has; those of `db export` are pointed to.
void require_format(const std::string& format, const Words& known) {
    if (std::ranges::count(known, format)) return;
    const bool exported = format == "csv" || format == "t4" || format == "header";
    throw UsageError(fmt::format(
        "--format: expected {}, not \"{}\"{}", fmt::join(known, ", "), format,
        exported ? fmt::format("; `sptune db export --format {}` writes the entries so", format)
                 : ""));
}

/// Whether a file is an entry, or wants to be one, rather than a matrix.
bool is_entry_file(const std::string& path) {
    std::ifstream file(path);
    return path.ends_with(".json") || (file >> std::ws).peek() == '{';
}

/// Under which SpMV with the matrix of a file is stored, and its product.
Words fingerprints_of_file(const std::string& path) {
    return with_matrix(path, {}, [](const auto& matrix) {
        const std::uint64_t own = fingerprint(matrix.view(), 0);
        return with_factor(matrix.view(), own, 0, [&](auto, std::uint64_t other) {
            return Words{fingerprint_text(own), fingerprint_text(pair_fingerprint(own, other))};
        });
    });
}

/// A word of one of the places, "DEVICE/KEY", that no other has in it; empty where there is none.
std::string telling_word(const Words& places) {
    for (const std::string& place : places) {
        std::istringstream key(place.substr(place.find('/') + 1));
        Words words;
        for (std::string word; std::getline(key, word, '-');) words.push_back(word);
        words.push_back(place.substr(0, place.find('/')));
        for (const std::string& word : words)
            if (std::ranges::count_if(
                    places, [&](const std::string& p) { return p.find(word) != p.npos; }) == 1)
                return word;
    }
    return {};
}

/// The one entry that the first word names: an entry file, a matrix file, a key with or without the
/// device in front, the beginning of a fingerprint or the name of a matrix. Device and key have all
/// `others` in them.
db::Entry find_entry(const std::string& word, std::span<const std::string> others,
                     const std::string& db) {
    const bool is_file = std::filesystem::is_regular_file(word);
    if (is_file && is_entry_file(word)) {
        try {
            const auto document = db::parse_document(db::read_text(word));
            db::Entry entry = db::entry_from_json(document);
            if (db::is_altered(document, entry)) warn(fmt::format("{}: {}", word, db::kAltered));
            return entry;
        } catch (const Error& e) {
            throw InputError(word, 0, e.what());
        }
    }
    const Words prints = is_file ? fingerprints_of_file(word) : Words();
    const db::Store store = open_existing_db(db);
    const std::string asked =
        others.empty() ? word : fmt::format("{} {}", word, fmt::join(others, " "));
    std::vector<db::Entry> found;
    Words names, places;
    store.for_each([&](const std::string&, const db::Entry& entry) {
        const std::string key = db::entry_key(entry);
        const std::string place = entry.device.key + "/" + key;
        names.push_back(entry.matrix.name);
        const std::string own = fingerprint_text(entry.matrix.fingerprint);
        const bool named = std::ranges::count(prints, own) || word == place || word == key ||
                           word == entry.matrix.name ||
                           (word.size() >= kShownDigits && own.starts_with(word));
        if (named && std::ranges::all_of(others, [&](const std::string& other) {
                return place.find(other) != std::string::npos;
            })) {
            found.push_back(entry);
            places.push_back(place);
        }
    });
    if (found.empty())
        throw InputError(store.path().string(), 0,
                         fmt::format("has no entry \"{}\"{}; see `sptune db list`", asked,
                                     did_you_mean(word, names)));
    if (found.size() > 1) {
        const std::string telling = telling_word(places);
        const std::string remedy = telling.empty()
                                       ? ""
                                       : fmt::format(
                                             ", or add a word that only one of them has, as in "
                                             "`sptune db show {} {}`",
                                             asked, telling);
        throw UsageError(fmt::format("\"{}\" names {} entries; name one of these{}:\n  {}", asked,
                                     found.size(), remedy, fmt::join(places, "\n  ")));
    }
    return found.front();
}

}  // namespace

int run_db_list(const Words& args) {
    std::string db, json, format = "table";
    Options options("db list", "", "Lists the entries of the tuning database.");
    options.text("db", "PATH", db, kDbHelp)
        .text("format", "table|json|csv", format, "for people, for programs or for spreadsheets")
        .text("json", "FILE|-", json, "write the list as JSON; - prints it alone on stdout")
        .example("sptune db list")
        .example("sptune db list --format csv > tuned.csv")
        .example("sptune db list --json - | jq '.entries[].winner'");
    if (!options.parse(args)) return kOk;
    require_format(format, {"table", "json", "csv"});
    if (format == "json" && json.empty()) json = "-";
    require_outputs({{"--json", json}}, files_read({}, db));
    const db::Store store = open_existing_db(db);
    const auto entries = store.list();
    if (entries.empty()) say_empty(store);
    if (!json.empty()) write_json(json, list_document(store, entries));
    if (json == "-") return kOk;
    if (format == "csv")
        write_text("-", list_csv(entries));
    else if (!entries.empty())
        write_text("-", list_table(entries));
    return kOk;
}

int run_db_show(const Words& args) {
    std::string db, json, format = "table";
    Words which;
    Options options(
        "db show", "MATRIX|KEY|FILE [WORD...]",
        "Shows what was measured for one matrix, as `sptune profile` did then. Where there "
        "are several entries of it, words name one: parts of its device and key, such as "
        "f32, spgemm or 16t.");
    options.operands(which, 1, 8)
        .text("db", "PATH", db, kDbHelp)
        .text("format", "table|json", format, "for people or for programs")
        .text("json", "FILE|-", json, "write the entry as JSON; - prints it alone on stdout")
        .example("sptune db show cant")
        .example("sptune db show cant.mtx f32")
        .example("sptune db show cant --json - | jq '.candidates[] | [.id, .time_us.median]'");
    if (!options.parse(args)) return kOk;
    require_format(format, {"table", "json"});
    if (format == "json" && json.empty()) json = "-";
    // A word may name an entry or a file.
    const bool is_file = std::filesystem::is_regular_file(which[0]);
    require_outputs({{"--json", json}}, files_read(is_file ? Words{which[0]} : Words(), db));
    const db::Entry entry = find_entry(which[0], std::span(which).subspan(1), db);
    if (!json.empty()) write_json(json, db::to_json(entry));
    if (json == "-") return kOk;
    const db::Provenance& p = entry.provenance;
    const std::string origin =
        fmt::format("{} by sptune {}{}", p.created_utc, p.sptune_version,
                    p.compiler.empty() ? "" : fmt::format(" ({})", p.compiler));
    write_text("-", profile_report(entry, {}, Style(stdout)) +
                        fmt::format("\nMeasured {} in {}{}.\nKey: {}/{}\n", printable(origin),
                                    duration_us(p.sweep_s * 1e6),
                                    entry.complete ? "" : "; the sweep is not complete",
                                    printable(entry.device.key), db::entry_key(entry)));
    return kOk;
}

int run_db_check(const Words& args) {
    std::string db, json, format = "table";
    Options options("db check", "", "Reads every entry; exit code 1 when one is not valid.");
    options.text("db", "PATH", db, kDbHelp)
        .text("format", "table|json", format, "for people or for programs")
        .text("json", "FILE|-", json, "write the result as JSON; - prints it alone on stdout")
        .example("sptune db check --db all.json")
        .example("sptune db check --json - | jq -r '.faults[].file'");
    if (!options.parse(args)) return kOk;
    require_format(format, {"table", "json"});
    if (format == "json" && json.empty()) json = "-";
    require_outputs({{"--json", json}}, files_read({}, db));
    const db::Store store = open_existing_db(db);
    const db::Store::Check result = store.check();
    std::string text;
    Json faults = Json::array();
    for (const db::Store::Fault& fault : result.faults) {
        text += fault.file + ": " + fault.reason + "\n";
        faults.push_back({{"file", fault.file}, {"reason", fault.reason}});
    }
    if (!json.empty())
        write_json(json, {{"schema", "sptune.check/1"},
                          {"db", store.path().string()},
                          {"valid", result.valid},
                          {"faults", std::move(faults)}});
    if (json != "-")
        write_text("-", text + fmt::format("{} valid, {} not; database {}\n", result.valid,
                                           result.faults.size(), store.path().string()));
    return result.faults.empty() ? kOk : kFailure;
}

}  // namespace sptune::cli
