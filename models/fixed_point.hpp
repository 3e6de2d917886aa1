// Many numbers in little text, and text in few bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sptune::models {

/// Multiples of 1/8192 from -4 to 4, as 16-bit little-endian integers in base64; what lies beyond
/// is cut off.
std::string to_fixed_point(const std::vector<float>& values);
/// Throws Error for what is not base64 of whole numbers.
std::vector<float> from_fixed_point(std::string_view text);

/// gzip.
std::string packed(std::string_view bytes);
/// What is packed in `bytes` with gzip, or `bytes` themselves. Throws Error for what is broken or
/// larger than 256 MiB unpacked.
std::string unpacked(std::string_view bytes);

}  // namespace sptune::models
