#include "models/file_parts.hpp"

#include "models/json_fields.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/ranges.h>

namespace sptune::models {
namespace {

class Depth final : public nlohmann::json_sax<Json> {
  public:
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool key(string_t&) override { return true; }
    bool start_object(std::size_t) override { return ++depth_ <= kMost; }
    bool start_array(std::size_t) override { return ++depth_ <= kMost; }
    bool end_object() override { return --depth_ >= 0; }
    bool end_array() override { return --depth_ >= 0; }
    bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
        return false;  // header_from() will say it better
    }
    bool too_deep() const { return depth_ > kMost; }

  private:
    static constexpr int kMost = 16;  // a model needs 7
    int depth_ = 0;
};

}  // namespace

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

void require_shallow(std::span<const std::uint8_t> header) {
    Depth depth;
    if (!Json::sax_parse(header, &depth, Json::input_format_t::cbor) && depth.too_deep())
        throw Error("is nested too deeply");
}

Json header_from(std::span<const std::uint8_t> bytes) {
    try {
        return Json::from_cbor(bytes);
    } catch (const Json::exception& e) {
        throw Error(fmt::format("its header is not CBOR: {}", e.what()));
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
        throw Error(fmt::format("{} lie outside the file", name));
    return arrays.bytes.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(size));
}

Stored<Fixed> fixed(const Json& from, const char* name, Arrays arrays) {
    if (auto there = in_place<Fixed>(from, name, arrays)) return *there;
    return fixed_from(bytes(from, name, arrays));
}

std::vector<float> stored_floats(const Json& from, const char* name, Arrays arrays) {
    if (member(from, name).is_array()) return floats(from, name);
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
