#include "models/fixed_point.hpp"

#include "matrix/error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <zlib.h>

namespace sptune::models {
namespace {

constexpr float kUnit = 1.0f / 8192;
constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t kMostBytes = std::size_t{256} << 20;
constexpr int kGzip = 16 + MAX_WBITS;

constexpr std::array<signed char, 256> digit_values() {
    std::array<signed char, 256> values{};
    for (auto& v : values) v = -1;
    for (std::size_t i = 0; i < kDigits.size(); ++i)
        values[static_cast<unsigned char>(kDigits[i])] = static_cast<signed char>(i);
    return values;
}

}  // namespace

std::string to_fixed_point(const std::vector<float>& values) {
    std::string out;
    out.reserve(values.size() * 8 / 3 + 4);
    std::uint32_t bits = 0;
    int have = 0;
    const auto put = [&](std::uint32_t byte) {
        bits = bits << 8 | byte, have += 8;
        for (; have >= 6; have -= 6) out += kDigits[bits >> (have - 6) & 63];
    };
    for (const float v : values) {
        const float scaled = std::clamp(std::round(v / kUnit), -32768.0f, 32767.0f);
        const auto word = static_cast<std::uint16_t>(static_cast<std::int16_t>(scaled));
        put(word & 255u), put(word >> 8);
    }
    if (have > 0) out += kDigits[bits << (6 - have) & 63];
    return out;
}

std::vector<float> from_fixed_point(std::string_view text) {
    static constexpr auto kValues = digit_values();
    std::vector<float> out;
    out.reserve(text.size() * 3 / 8 + 1);
    std::uint64_t bits = 0;
    int have = 0;
    for (const char ch : text) {
        const int value = kValues[static_cast<unsigned char>(ch)];
        if (value < 0) throw Error("base64 has no such digit");
        bits = bits << 6 | static_cast<std::uint64_t>(value), have += 6;
        if (have < 16) continue;
        const auto pair = static_cast<std::uint32_t>(bits >> (have - 16) & 0xffff);
        const auto word = static_cast<std::uint16_t>(pair >> 8 | (pair & 255u) << 8);
        out.push_back(static_cast<float>(static_cast<std::int16_t>(word)) * kUnit);
        have -= 16;
    }
    if (have >= 6) throw Error("base64 ends in the middle of a number");
    return out;
}

std::string packed(std::string_view bytes) {
    z_stream stream{};
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, 9, Z_DEFAULT_STRATEGY) != Z_OK)
        throw Error("zlib cannot start");
    std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())) + 64, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int code = deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    if (code != Z_STREAM_END) throw Error("zlib could not pack");
    return out;
}

std::string unpacked(std::string_view bytes) {
    if (!bytes.starts_with("\x1f\x8b")) return std::string(bytes);
    z_stream stream{};
    if (inflateInit2(&stream, kGzip) != Z_OK) throw Error("zlib cannot start");
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    std::string out;
    int code = Z_OK;
    while (code == Z_OK && out.size() < kMostBytes) {
        std::array<char, 1 << 16> piece;
        stream.next_out = reinterpret_cast<Bytef*>(piece.data());
        stream.avail_out = static_cast<uInt>(piece.size());
        code = inflate(&stream, Z_NO_FLUSH);
        out.append(piece.data(), piece.size() - stream.avail_out);
    }
    inflateEnd(&stream);
    if (code != Z_STREAM_END)
        throw Error(out.size() >= kMostBytes ? "is larger than 256 MiB unpacked"
                                             : "is not whole gzip data");
    return out;
}

}  // namespace sptune::models
