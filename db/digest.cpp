// sptune writes one line for each member of an entry and for each candidate (to_text()), so that
// most of a file can be skipped by looking for line ends.
#include "db/digest.hpp"

#include "db/altered.hpp"
#include "db/codec.hpp"
#include "db/document.hpp"
#include "db/knowledge.hpp"
#include "db/scan.hpp"
#include "db/seal.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <map>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sptune::db {
namespace {

using Json = nlohmann::ordered_json;
using Text = std::string_view;

constexpr Text kHead = "{\n\"schema\": ";

/// As Text::find, which looks at every quote: in a third of the time.
std::size_t find(Text text, Text name) {
    const void* const at = memmem(text.data(), text.size(), name.data(), name.size());
    return at ? static_cast<std::size_t>(static_cast<const char*>(at) - text.data()) : Text::npos;
}

/// What lies between `before` and `after`; nothing where one of them is missing.
std::optional<Text> between(Text text, Text before, Text after) {
    const std::size_t from = find(text, before);
    if (from == Text::npos) return std::nullopt;
    text.remove_prefix(from + before.size());
    const std::size_t to = text.find(after);
    if (to == Text::npos) return std::nullopt;
    return text.substr(0, to);
}

/// The members of a document of ours, as text.
class Lines {
  public:
    explicit Lines(Text text) {
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('\n'), text.size());
            Text line = text.substr(0, end);
            text.remove_prefix(std::min(end + 1, text.size()));
            if (line.ends_with(',')) line.remove_suffix(1);
            const bool candidate = line.starts_with("{\"id\":");
            if (!candidate && line.size() > 1 && !line.starts_with('"'))
                throw Error("a line is not as sptune writes it");
            (candidate ? candidates_ : members_).push_back(line);
        }
    }
    Json member(Text name) const {
        const std::string head = fmt::format("\"{}\": ", name);
        for (const Text line : members_)
            if (line.starts_with(head)) return parse_document(line.substr(head.size()));
        throw Error(fmt::format("{}: is missing", name));
    }
    const std::vector<Text>& candidates() const { return candidates_; }

  private:
    std::vector<Text> members_, candidates_;
};

/// The number behind `name`. Throws where it is missing or not one.
double number(Text line, Text name) {
    const std::size_t at = find(line, name);
    const char* const end = line.data() + line.size();
    const char* const begin = at == Text::npos ? end : line.data() + at + name.size();
    double value = 0;
    const auto [behind, error] = std::from_chars(begin, end, value);
    if (error != std::errc() || behind == end || (*behind != ',' && *behind != '}') ||
        !std::isfinite(value))
        throw Error(fmt::format("a candidate that is ok: {} is not a number", name));
    return value;
}

/// The word behind `name`. Throws where it is missing, or is no word but a text with quotes.
std::string word(Text line, Text name) {
    const auto text = between(line, name, "\"");
    if (!text || text->find('\\') != Text::npos)
        throw Error(fmt::format("a candidate: {} is not a word", name));
    return std::string(*text);
}

/// A candidate's line that is ok.
struct Timed {
    double median_us = 0;
    Text line;

    Measured measured() const {
        const double convert_us = number(line, "\"convert_us\":");
        if (convert_us < 0) throw Error("a candidate that is ok: convert_us is negative");
        const Text in_graphs = "\"device_us\":";
        const double device_us = find(line, in_graphs) == Text::npos ? 0 : number(line, in_graphs);
        if (device_us < 0) throw Error("a candidate that is ok: device_us is negative");
        return {word(line, "{\"id\":\""),
                word(line, "\"kernel_hash\":\""),
                median_us,
                convert_us,
                find(line, "\"vendor\":true") != Text::npos,
                device_us};
    }
};

/// Throws where the line does not say whether it is ok, or has no time though it is.
std::optional<Timed> timed(Text line) {
    if (word(line, "\"status\":\"") != "ok") return std::nullopt;
    const double us = number(line, "\"median\":");
    if (!(us > 0)) throw Error("a candidate that is ok has no time");
    return Timed{us, line};
}

/// Whether a digest has each of the candidates that are ok, asked for in the order of their times.
class Chosen {
  public:
    Chosen(const Digest& digest, Extent extent) : digest_(digest), extent_(extent) {}

    bool operator()(Text id) {
        // An id begins with operation, backend, format and algorithm.
        const std::size_t backend = id.find('.', id.find('.') + 1),
                          format = id.find('.', backend + 1);
        const bool csr = id.substr(0, format).ends_with(".csr");
        const Text kernel = id.substr(0, id.find('.', format + 1));
        const std::size_t place = place_++, of_kernel = seen_[kernel]++;
        return extent_ == Extent::all || place < kDigestCandidates || csr ||
               of_kernel < kOfEachKernel || id == digest_.winner || id == digest_.baseline;
    }

  private:
    const Digest& digest_;
    Extent extent_;
    std::size_t place_ = 0;
    std::map<Text, std::size_t> seen_;  ///< by kernel
};

std::string text_or_empty(const Json& json) {
    return json.is_string() ? json.get<std::string>() : std::string();
}

/// An entry on one line as to_text() writes it to a file of its own: a line for each member, and
/// for each candidate.
std::string as_file(Text entry) {
    std::string text;
    text.reserve(entry.size() + entry.size() / 16);
    int depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < entry.size(); ++i) {
        const char c = entry[i];
        const bool opens = c == '{' || c == '[', closes = c == '}' || c == ']';
        if (in_string) {
            in_string = c != '"';
            text += c;
            if (c == '\\' && i + 1 < entry.size()) text += entry[++i];
            continue;
        }
        in_string = c == '"';
        depth += opens - closes;
        if (closes && (depth == 0 || (depth == 1 && c == ']'))) text += '\n';
        text += c;
        if (c == ':' && depth == 1) text += ' ';
        const bool between_candidates = depth == 2 && c == ',' && entry.substr(i + 1, 1) == "{";
        if ((opens && (depth == 1 || (depth == 2 && c == '['))) || (c == ',' && depth == 1) ||
            between_candidates)
            text += '\n';
    }
    return text;
}

std::string key_of(const Lines& lines) {
    const auto word = [&](Text name) { return text_or_empty(lines.member(name)); };
    return fmt::format("{}-{}-{}-{}-{}", word("op"), word("precision"), word("index"),
                       word("cache"), lines.member("matrix").value("fingerprint", ""));
}

Digest digest_of_lines(const Lines& lines, Extent extent) {
    Json head{{"schema", lines.member("schema")}};
    require_schema(head, "sptune.entry");
    Digest d;
    d.device = device_from_json(lines.member("device"));
    d.features = features_from_json(lines.member("features"));
    d.winner = text_or_empty(lines.member("winner"));
    d.baseline = text_or_empty(lines.member("baseline"));
    d.complete =
        lines.member("complete") == Json(true) && !lines.member("provenance").contains("variants");
    d.vendor_library = lines.member("provenance").value("vendor_library", "");
    d.cores_busy = lines.member("provenance").value("cores_busy", false);
    d.one_value = lines.member("provenance").value("one_value", false);
    std::vector<Timed> field;
    for (const Text line : lines.candidates())
        if (const auto t = timed(line)) field.push_back(*t);
    std::stable_sort(field.begin(), field.end(),
                     [](const Timed& a, const Timed& b) { return a.median_us < b.median_us; });
    Chosen chosen(d, extent);
    for (const Timed& t : field)
        if (chosen(between(t.line, "\"id\":\"", "\"").value_or("")))
            d.fastest.push_back(t.measured());
    if (!d.winner.empty() &&
        std::ranges::find(d.fastest, d.winner, &Measured::id) == d.fastest.end())
        throw Error("winner: is not among the candidates that are ok: " + d.winner);
    return d;
}

}  // namespace

Digest digest_of(const Entry& entry, Extent extent) {
    const bool all = entry.complete && !entry.provenance.variants;
    Digest d{entry.device,
             entry.features,
             entry.winner,
             entry.baseline,
             all,
             entry.provenance.vendor_library,
             were_cores_busy(entry),
             had_one_value(entry),
             false,
             {}};
    std::vector<const Candidate*> field;
    for (const Candidate& c : entry.candidates)
        if (c.status == Status::ok && c.time) field.push_back(&c);
    std::stable_sort(field.begin(), field.end(), [](const Candidate* a, const Candidate* b) {
        return a->time->median < b->time->median;
    });
    Chosen chosen(d, extent);
    for (const Candidate* c : field)
        if (chosen(c->id))
            d.fastest.push_back({c->id, c->kernel_hash, c->time->median, c->convert_us, c->vendor,
                                 c->device_us.value_or(0)});
    return d;
}

Digest read_digest(const std::filesystem::path& file, const std::string& entry_key, Extent extent) {
    const std::string text = read_text(file);
    if (text.starts_with(kHead) && is_sealed(text)) {
        try {
            const Lines lines(text);
            if (key_of(lines) == entry_key) return digest_of_lines(lines, extent);
        } catch (const Error&) {  // whoever reads all of it can tell what is wrong
        }
    }
    bool altered = false;
    Digest digest = digest_of(read_entry(file, &altered), extent);
    digest.altered = altered;
    return digest;
}

std::optional<Digest> read_digest_of_line(Text line, const std::string& entry_key, Extent extent) {
    if (is_sealed(line)) {
        try {
            const std::string text = as_file(line);
            const Lines lines(text);
            if (key_of(lines) != entry_key) return std::nullopt;
            return digest_of_lines(lines, extent);
        } catch (const Error&) {  // whoever reads all of it can tell what is wrong
        }
    }
    const Json document = parse_document(line);
    const Entry entry = entry_from_json(document);
    if (db::entry_key(entry) != entry_key) return std::nullopt;
    Digest digest = digest_of(entry, extent);
    digest.altered = is_altered(document, entry);
    return digest;
}

Device read_device(const std::filesystem::path& file) {
    const std::string text = read_text(file);
    // The device is one of the first lines, long before the candidates.
    const std::size_t end = text.find("\"candidates\": ");
    return text.starts_with(kHead) && is_sealed(text)
               ? device_from_json(Lines(Text(text).substr(0, end)).member("device"))
               : read_entry(file).device;
}

}  // namespace sptune::db
