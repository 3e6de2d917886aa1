#include "models/file_parts.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/ranges.h>

namespace sptune::models {

std::string join_parts(std::string_view letters, Json header, const Bytes& arrays) {
    Bytes out(letters.begin(), letters.end());
    Bytes text = Json::to_cbor(header);
    if (text.size() % kAlignment != 0) {   // where the arrays begin
        constexpr std::size_t kEmpty = 5;  // bytes of a pad without letters
        header["pad"] = std::string(kAlignment - 1 - (text.size() + kEmpty - 1) % kAlignment, ' ');
        text = Json::to_cbor(header);
    }
    for (const Bytes& part :
         {to_words(std::vector{static_cast<std::uint32_t>(text.size())}), text, arrays})
        out.insert(out.end(), part.begin(), part.end());
    return {out.begin(), out.end()};
}

FileParts split_parts(std::string_view file, std::string_view letters, std::string_view what) {
    const std::span all(reinterpret_cast<const std::uint8_t*>(file.data()), file.size());
    const std::size_t before = letters.size() + sizeof(std::uint32_t);
    if (!file.starts_with(letters) || file.size() < before)
        throw Error(fmt::format("is not {}", what));
    const std::size_t size = from_words(all.subspan(letters.size(), sizeof(std::uint32_t))).front();
    if (size > all.size() - before) throw Error("ends within its header");
    return {all.subspan(before, size), {all.subspan(before + size)}};
}

// Item after item, where the parser's functions would call each other: what an item is, how long,
// and how many are in it. Parts of unknown length, which no file of ours has, nest as well. What is
// malformed otherwise is left to header_from(), which says it better.
void require_shallow(std::span<const std::uint8_t> cbor) {
    enum Major { text_bytes = 2, text = 3, array = 4, map = 5 };
    constexpr std::size_t kDeepest = 16;           // a model needs 7
    constexpr std::uint64_t kMostItems = 1 << 24;  // all of which become objects
    constexpr std::uint64_t kMostMembers = 4096;   // of a map, each of which is searched for
    std::uint64_t items = 0;
    constexpr unsigned kOneByte = 24, kEightBytes = 27, kUnknown = 31;
    std::vector<std::uint64_t> to_come;  // items, of each array or map that is open
    std::size_t at = 0;
    do {
        if (at == cbor.size()) return;
        if (++items > kMostItems) throw Error("has more parts than a file of sptune can have");
        const unsigned major = cbor[at] >> 5, info = cbor[at] & 31;
        ++at;
        if (info == kUnknown) throw Error("has parts of unknown length");
        std::uint64_t count = info;
        if (info >= kOneByte) {
            const std::size_t size = std::size_t{1} << (info - kOneByte);
            if (info > kEightBytes || size > cbor.size() - at) return;
            count = 0;
            for (std::size_t i = 0; i < size; ++i) count = count << 8 | cbor[at++];
        }
        if (major == text_bytes || major == text) {
            if (count > cbor.size() - at) return;
            at += static_cast<std::size_t>(count);
        } else if ((major == array || major == map) && count > 0) {
            if (to_come.size() == kDeepest) throw Error("is nested too deeply");
            if (major == map && count > kMostMembers)
                throw Error(fmt::format("has {} fields in one place", count));
            constexpr std::uint64_t kMost = std::uint64_t{1} << 62;  // more than a file has
            to_come.push_back(std::min(count, kMost) * (major == map ? 2 : 1));
            continue;
        }
        while (!to_come.empty() && --to_come.back() == 0) to_come.pop_back();
    } while (!to_come.empty());
}

Json header_from(std::span<const std::uint8_t> bytes) {
    try {
        return Json::from_cbor(bytes);
    } catch (const Json::exception& e) {
        throw Error(fmt::format("is not CBOR where it should be: {}", e.what()));
    }
}

void put_bytes(Json& to, const char* name, const Bytes& array, Bytes& arrays) {
    while (arrays.size() % kAlignment != 0) arrays.push_back(0);
    to[name] = arrays.size();
    to[std::string(name).append("_bytes")] = array.size();
    arrays.insert(arrays.end(), array.begin(), array.end());
}

std::span<const std::uint8_t> bytes(const Json& from, const char* name, Arrays arrays) {
    const std::int32_t at = integer(member(from, name), name);
    const std::int32_t size =
        integer(member(from, std::string(name).append("_bytes").c_str()), name);
    if (at < 0 || size < 0 ||
        static_cast<std::size_t>(at) + static_cast<std::size_t>(size) > arrays.bytes.size())
        throw Error(fmt::format("{}: lies outside the file", name));
    return arrays.bytes.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(size));
}

Stored<Fixed> fixed(const Json& from, const char* name, Arrays arrays) {
    if (auto there = in_place<Fixed>(from, name, arrays)) return *there;
    return fixed_from(bytes(from, name, arrays));
}

std::vector<float> stored_floats(const Json& from, const char* name, Arrays arrays) {
    std::vector<float> numbers = floats_from_words(bytes(from, name, arrays));
    for (const float v : numbers)
        if (!std::isfinite(v)) throw Error(fmt::format("{} must be numbers", name));
    return numbers;
}

Bytes to_lines(const std::vector<std::string>& texts) {
    const std::string joined = fmt::format("{}", fmt::join(texts, "\n"));
    return {joined.begin(), joined.end()};
}

std::vector<std::string> from_lines(std::span<const std::uint8_t> text) {
    std::vector<std::string> list;
    for (auto at = text.begin(); at != text.end();) {
        const auto end = std::find(at, text.end(), '\n');
        list.emplace_back(at, end);
        at = end == text.end() ? end : end + 1;
    }
    return list;
}

}  // namespace sptune::models
