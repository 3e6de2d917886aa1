#include "db/seal.hpp"

#include "db/document.hpp"

#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <xxhash.h>

namespace sptune::db {
namespace {

using Text = std::string_view;

/// What comes before the checksum, behind it, and ends a document without one.
struct Ending {
    Text before, after, without;
};
constexpr Ending kEndings[] = {{",\n\"checksum\": \"", "\"\n}\n", "\n}\n"},
                               {",\"checksum\":\"", "\"}", "}"}};

constexpr std::size_t kDigits = 16;

std::string checksum(Text text) {
    return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
}

/// Whether the text ended with `end`, which is gone then.
bool take(Text& text, Text end) {
    if (!text.ends_with(end)) return false;
    text.remove_suffix(end.size());
    return true;
}

}  // namespace

void seal(nlohmann::ordered_json& document, Layout layout) {
    document.erase("checksum");
    const bool lines = layout == Layout::lines;
    const std::string text = lines ? to_text(document) : to_line(document);
    Text body = text;
    take(body, kEndings[lines ? 0 : 1].without);
    document["checksum"] = checksum(body);
}

bool is_sealed(Text text) {
    for (const Ending& ending : kEndings) {
        Text body = text;
        if (!take(body, ending.after) || body.size() < kDigits) continue;
        const Text found = body.substr(body.size() - kDigits);
        body.remove_suffix(kDigits);
        if (take(body, ending.before)) return found == checksum(body);
    }
    return false;
}

bool has_broken_seal(const nlohmann::ordered_json& document) {
    const auto found = document.find("checksum");
    if (found == document.end()) return false;
    nlohmann::ordered_json again = document;
    for (const Layout layout : {Layout::one_line, Layout::lines}) {
        seal(again, layout);
        if (again["checksum"] == *found) return false;
    }
    return true;
}

}  // namespace sptune::db
