#include "models/fixed_point.hpp"

#include "matrix/error.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sptune::models {
namespace {

template <class Word>
void put(Bytes& out, Word word) {
    for (std::size_t i = 0; i < sizeof word; ++i)
        out.push_back(static_cast<std::uint8_t>(word >> (8 * i)));
}

template <class Word>
Word get(const std::uint8_t* from) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < sizeof(Word); ++i)
        word |= static_cast<std::uint32_t>(from[i]) << (8 * i);
    return static_cast<Word>(word);
}

void require_whole(std::span<const std::uint8_t> bytes, std::size_t each) {
    if (bytes.size() % each != 0) throw Error("an array ends in the middle of a number");
}

}  // namespace

Fixed to_fixed(float value) {
    return static_cast<Fixed>(std::clamp(std::round(value / kFixedUnit), -32768.0f, 32767.0f));
}

Bytes to_fixed_point(std::span<const Fixed> values) {
    Bytes out;
    out.reserve(values.size() * 2);
    for (const Fixed v : values) put(out, static_cast<std::uint16_t>(v));
    return out;
}

Bytes to_fixed_point(std::span<const float> values) {
    std::vector<Fixed> fixed(values.size());
    std::transform(values.begin(), values.end(), fixed.begin(), to_fixed);
    return to_fixed_point(fixed);
}

std::vector<Fixed> fixed_from(std::span<const std::uint8_t> bytes) {
    require_whole(bytes, 2);
    std::vector<Fixed> out(bytes.size() / 2);
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = static_cast<Fixed>(get<std::uint16_t>(bytes.data() + 2 * i));
    return out;
}

std::vector<float> from_fixed_point(std::span<const std::uint8_t> bytes) {
    const std::vector<Fixed> fixed = fixed_from(bytes);
    std::vector<float> out(fixed.size());
    std::transform(fixed.begin(), fixed.end(), out.begin(),
                   [](Fixed v) { return static_cast<float>(v) * kFixedUnit; });
    return out;
}

Bytes to_words(std::span<const std::uint32_t> words) {
    Bytes out;
    out.reserve(words.size() * 4);
    for (const std::uint32_t w : words) put(out, w);
    return out;
}

std::vector<std::uint32_t> from_words(std::span<const std::uint8_t> bytes) {
    require_whole(bytes, 4);
    std::vector<std::uint32_t> out(bytes.size() / 4);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = get<std::uint32_t>(bytes.data() + 4 * i);
    return out;
}

Bytes to_words(std::span<const float> numbers) {
    std::vector<std::uint32_t> words(numbers.size());
    std::transform(numbers.begin(), numbers.end(), words.begin(),
                   [](float v) { return std::bit_cast<std::uint32_t>(v); });
    return to_words(words);
}

std::vector<float> floats_from_words(std::span<const std::uint8_t> bytes) {
    const std::vector<std::uint32_t> words = from_words(bytes);
    std::vector<float> out(words.size());
    std::transform(words.begin(), words.end(), out.begin(),
                   [](std::uint32_t w) { return std::bit_cast<float>(w); });
    return out;
}

}  // namespace sptune::models
