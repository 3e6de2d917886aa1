#include "db/export_index.hpp"

#include "db/altered.hpp"
#include "db/codec.hpp"
#include "db/document.hpp"
#include "matrix/lasting.hpp"

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <mutex>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sptune::db {
namespace {

namespace fs = std::filesystem;
using Text = std::string_view;
using Json = nlohmann::ordered_json;

/// The string behind the first `name`, which ends in a quote. Quotes within strings are escaped, so
/// that a name with quotes is never found inside of one.
Text value_of(Text line, Text name) {
    const std::size_t at = line.find(name);
    if (at == Text::npos) return {};
    line.remove_prefix(at + name.size());
    return line.substr(0, line.find('"'));
}

/// The text at the end of the path; empty where there is none.
std::string text_at(const Json& json, std::initializer_list<const char*> path) {
    const Json* at = &json;
    for (const char* name : path) {
        if (!at->is_object() || !at->contains(name)) return {};
        at = &(*at)[name];
    }
    return at->is_string() ? at->get<std::string>() : std::string();
}

/// entry_key() of what is not valid, as far as it says.
std::string key_of(const Json& entry) {
    return fmt::format("{}-{}-{}-{}-{}", text_at(entry, {"op"}), text_at(entry, {"precision"}),
                       text_at(entry, {"index"}), text_at(entry, {"cache"}),
                       text_at(entry, {"matrix", "fingerprint"}));
}

}  // namespace

std::shared_ptr<const ExportIndex> ExportIndex::of(const fs::path& file) {
    struct Known {
        Stamp stamp;
        std::shared_ptr<const ExportIndex> index;
        std::string failure;  ///< of what can be read, and is no export
    };
    static std::mutex mutex;
    static auto& all = lasting<std::map<std::string, Known>>();
    const std::lock_guard lock(mutex);
    std::error_code unknown;
    const std::int64_t begun = now_ns();
    const Stamp now = stamp_of(file, unknown);
    Known& known = all[file.native()];
    if (known.stamp == now && !known.failure.empty()) throw Error(known.failure);
    if (!known.index || known.stamp != now) {
        known = {};
        const Stamp trusted = now.is_settled(begun) ? now : Stamp{};  // else it is read again
        try {
            known.index.reset(new ExportIndex(file));
        } catch (const Unreadable&) {
            throw;
        } catch (const Error& e) {  // reading all of it again would tell nothing new
            known.stamp = trusted;
            known.failure = e.what();
            throw;
        }
        known.stamp = trusted;
    }
    return known.index;
}

ExportIndex::ExportIndex(const fs::path& file) : file_(file) {
    const std::string all = read_text(file, kMostExportBytes);
    if (index_lines(all)) return;
    devices_.clear();
    lines_.clear();
    const Json document = parse_document(all);
    require_schema(document, "sptune.export");
    const auto entries = document.find("entries");
    if (entries == document.end()) return;
    for (const Json& json : *entries) try {
            const Entry entry = entry_from_json(json);
            devices_.insert(entry.device.key);
            Digest digest = digest_of(entry, Extent::all);
            digest.altered = is_altered(json, entry);
            digests_.emplace(db::entry_key(entry), std::move(digest));
        } catch (const Error& e) {  // who asks for this matrix is told, and `db check` tells all
            failures_[key_of(json)] = e.what();
            devices_.insert(text_at(json, {"device", "key"}));
        }
}

/// False where anything is not as to_text() writes it, such as the end of a file that was cut off.
bool ExportIndex::index_lines(Text text) {
    constexpr Text kBegin = "{\n\"schema\": \"sptune.export/1\"", kEntries = "\n\"entries\": [",
                   kEntry = "{\"schema\":\"sptune.entry/1\"";
    std::size_t at = text.find(kEntries);
    if (!text.starts_with(kBegin) || at == Text::npos) return false;
    at += kEntries.size();
    for (bool more = text.substr(at, 1) == "\n"; more;) {
        const std::size_t begin = std::min(at + 1, text.size());
        at = std::min(text.find('\n', begin), text.size());
        Text line = text.substr(begin, at - begin);
        more = line.ends_with(',');
        if (more) line.remove_suffix(1);
        if (!line.starts_with(kEntry) || !line.ends_with('}')) return false;
        add_line(line, begin);
    }
    return text.substr(at) == (lines_.empty() ? "]\n}\n" : "\n]\n}\n");
}

void ExportIndex::add_line(Text line, std::uint64_t begin) {
    const std::size_t device = line.find(",\"device\":{\"");
    if (device != Text::npos) devices_.emplace(value_of(line.substr(device), ",\"key\":\""));
    lines_.emplace(value_of(line, "\"fingerprint\":\""), Span{begin, line.size()});
}

std::vector<Digest> ExportIndex::find(const std::string& entry_key, Extent extent) const {
    std::vector<Digest> found;
    const auto [from, to] = digests_.equal_range(entry_key);
    for (auto it = from; it != to; ++it) found.push_back(it->second);
    const auto failed = failures_.find(entry_key);
    std::string failure = failed == failures_.end() ? "" : failed->second;
    const auto [first, last] = lines_.equal_range(Text(entry_key).substr(entry_key.rfind('-') + 1));
    if (first == last && failure.empty()) return found;
    std::ifstream in(file_, std::ios::binary);
    for (auto it = first; it != last; ++it) {
        std::string line(it->second.size, '\0');
        in.seekg(static_cast<std::streamoff>(it->second.begin));
        if (!in.read(line.data(), static_cast<std::streamsize>(line.size())))
            throw Unreadable("cannot be read any more");
        try {
            if (auto digest = read_digest_of_line(line, entry_key, extent))
                found.push_back(std::move(*digest));
        } catch (const Error& e) {  // of this very matrix, so that it is worth a warning
            failure = e.what();
        }
    }
    if (found.empty() && !failure.empty())
        throw Error(fmt::format("the entry of {}: {}", entry_key, failure));
    return found;
}

}  // namespace sptune::db
