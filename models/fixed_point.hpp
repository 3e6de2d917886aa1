// Arrays of numbers as bytes, the same on every machine: little-endian.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace sptune::models {

using Bytes = std::vector<std::uint8_t>;

/// Multiples of 1/8192 from -4 to 4, as 16-bit integers; what lies beyond is cut off.
using Fixed = std::int16_t;
constexpr float kFixedUnit = 1.0f / 8192;
Fixed to_fixed(float value);

/// Such numbers: its own, or where they lie in memory that stays as long as the program. What a
/// program ships with is not to be copied by every process that looks at a part of it.
class FixedArray {
  public:
    FixedArray() = default;
    FixedArray(std::vector<Fixed> own) : own_(std::move(own)) {}
    static FixedArray in_place(std::span<const Fixed> there) {
        FixedArray array;
        array.there_ = there;
        return array;
    }
    const Fixed* data() const { return own_.empty() ? there_.data() : own_.data(); }
    std::size_t size() const { return own_.empty() ? there_.size() : own_.size(); }
    const Fixed* begin() const { return data(); }
    const Fixed* end() const { return data() + size(); }
    bool operator==(const FixedArray& other) const { return std::ranges::equal(*this, other); }

  private:
    std::vector<Fixed> own_;
    std::span<const Fixed> there_;
};

Bytes to_fixed_point(std::span<const Fixed> values);
Bytes to_fixed_point(std::span<const float> values);
/// These throw Error for half a number.
std::vector<Fixed> fixed_from(std::span<const std::uint8_t> bytes);
std::vector<float> from_fixed_point(std::span<const std::uint8_t> bytes);

/// 32-bit integers, or the bits of floats.
Bytes to_words(std::span<const std::uint32_t> words);
Bytes to_words(std::span<const float> numbers);
std::uint32_t word_at(const std::uint8_t* bytes);
/// These throw Error for a part of a word.
std::vector<std::uint32_t> from_words(std::span<const std::uint8_t> bytes);
std::vector<float> floats_from_words(std::span<const std::uint8_t> bytes);

}  // namespace sptune::models
