#include "db/document.hpp"

#include "db/codec.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sptune::db {
namespace {

using Json = nlohmann::ordered_json;

// A document is to be no harder to take in than an honest one of its size.
constexpr int kMaxDepth = 16;              // an export needs 7
constexpr std::size_t kMostMembers = 256;  // of an object, each found by search; an entry needs 37
constexpr std::size_t kMostLooseValues = 1 << 20;
constexpr std::size_t kBytesPerValue = 8;  // of more values, at least; entries have 16

/// Throws Error.
class Guard {
  public:
    explicit Guard(std::size_t bytes) : most_(std::max(kMostLooseValues, bytes / kBytesPerValue)) {}

    void operator()(int depth, Json::parse_event_t event) {
        using Event = Json::parse_event_t;
        if (depth > kMaxDepth)
            throw Error(fmt::format("is nested deeper than {} levels", kMaxDepth));
        const auto level = static_cast<std::size_t>(depth);
        if (event == Event::object_start) members_[level + 1] = 0;
        if (event == Event::key && ++members_[level] > kMostMembers)
            throw Error(fmt::format("has an object of more than {} members", kMostMembers));
        const bool ends = event == Event::object_end || event == Event::array_end;
        if (event != Event::key && !ends && ++values_ > most_)
            throw Error(fmt::format("has more than {} values, too many for its size", most_));
    }

  private:
    std::size_t most_, values_ = 0;
    std::array<std::size_t, kMaxDepth + 2> members_{};  ///< so far, of the objects that are open
};

}  // namespace

std::string to_line(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string read_text(const std::filesystem::path& file, std::uint64_t most) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    if (error) throw Unreadable(error.message());
    if (size > most) throw Unreadable(fmt::format("has {} bytes; at most {} are read", size, most));
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> in(std::fopen(file.c_str(), "rb"),
                                                             std::fclose);
    if (!in) throw Unreadable(std::strerror(errno));
    std::string text(size, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), in.get()));
    if (std::ferror(in.get())) throw Unreadable("reading failed half-way");
    return text;
}

Json parse_document(std::string_view text) {
    Guard guard(text.size());
    const auto watch = [&](int depth, Json::parse_event_t event, Json&) {
        guard(depth, event);
        return true;
    };
    try {
        return Json::parse(text, watch);
    } catch (const Json::exception& e) {
        const std::string_view what = e.what();  // "[json.exception.parse_error.101] parse error …"
        throw Error(fmt::format("is not JSON: {}", what.substr(what.find("] ") + 2)));
    }
}

void require_schema(const Json& document, std::string_view name) {
    const auto expected = fmt::format("\"{}/1\"", name);
    const auto field = document.is_object() ? document.find("schema") : document.end();
    if (field == document.end() || !field->is_string())
        throw Error(fmt::format("has no schema; expected {}", expected));
    const auto& schema = field->get_ref<const std::string&>();
    if (schema == fmt::format("{}/1", name)) return;
    if (schema.starts_with(fmt::format("{}/", name))) {
        const std::string_view digits = std::string_view(schema).substr(name.size() + 1);
        int version = 0;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), version);
        if (error == std::errc() && end == digits.data() + digits.size() && version > 1)
            throw NewerSchema(fmt::format(
                "schema \"{}\" is newer than this sptune understands; upgrade sptune", schema));
    }
    throw Error(fmt::format("schema is {}; expected {}", to_line(*field), expected));
}

std::string to_text(const Json& document) {
    std::string out = "{";
    for (const auto& [name, value] : document.items()) {
        out += fmt::format("{}\n{}: ", out.size() > 1 ? "," : "", to_line(name));
        if (!value.is_array()) {
            out += to_line(value);
            continue;
        }
        const char* separator = "[\n";
        for (const Json& element : value) {
            out += separator + to_line(element);
            separator = ",\n";
        }
        out += value.empty() ? "[]" : "\n]";
    }
    return out + "\n}\n";
}

}  // namespace sptune::db
