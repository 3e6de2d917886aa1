// Arrays of numbers as bytes, the same on every machine: little-endian.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sptune::models {

using Bytes = std::vector<std::uint8_t>;

/// Multiples of 1/8192 from -4 to 4, as 16-bit integers; what lies beyond is cut off.
using Fixed = std::int16_t;
constexpr float kFixedUnit = 1.0f / 8192;
Fixed to_fixed(float value);

Bytes to_fixed_point(std::span<const Fixed> values);
Bytes to_fixed_point(std::span<const float> values);
/// These throw Error for half a number.
std::vector<Fixed> fixed_from(std::span<const std::uint8_t> bytes);
std::vector<float> from_fixed_point(std::span<const std::uint8_t> bytes);

/// 32-bit integers, or the bits of floats.
Bytes to_words(std::span<const std::uint32_t> words);
Bytes to_words(std::span<const float> numbers);
/// These throw Error for a part of a word.
std::vector<std::uint32_t> from_words(std::span<const std::uint8_t> bytes);
std::vector<float> floats_from_words(std::span<const std::uint8_t> bytes);

}  // namespace sptune::models
