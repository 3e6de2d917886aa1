// What the files of models and of sweeps have in common: four letters, the length of the header in
// four bytes (little-endian), the header in CBOR (RFC 8949), then arrays of numbers as they lie in
// memory (see fixed_point.hpp). The header names an array by where it begins and "…_bytes", both
// counted from the end of the header.
#pragma once

#include "models/fixed_point.hpp"
#include "models/json_fields.hpp"
#include "models/stored.hpp"

#include <bit>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sptune::models {

/// The arrays of a file, one after the other.
struct Arrays {
    std::span<const std::uint8_t> bytes;
    bool stay = false;  ///< as long as the program
};

inline constexpr std::size_t kAlignment = 4;

struct FileParts {
    std::span<const std::uint8_t> header;
    Arrays arrays;
};

std::string join_parts(std::string_view letters, Json header, const Bytes& arrays);

/// Views into `file`. Throws Error, which calls the file no `what`, where it does not begin with
/// the letters, or ends within its header.
FileParts split_parts(std::string_view file, std::string_view letters, std::string_view what);

/// Untrusted bytes may be nested so deeply that building the document would use up the stack:
/// throws Error for those, for strings and lists that do not say how long they are, and for so many
/// parts that the document would take far more memory, or time, than what it was made from.
void require_shallow(std::span<const std::uint8_t> cbor);

/// Throws Error where the bytes are not CBOR.
Json header_from(std::span<const std::uint8_t> bytes);

/// Appends `array` to `arrays`, at a multiple of kAlignment so that it can be used where it lies,
/// and says in `to` where that is.
void put_bytes(Json& to, const char* name, const Bytes& array, Bytes& arrays);

/// What put_bytes() has put there. Throws Error where that lies outside the file.
std::span<const std::uint8_t> bytes(const Json& from, const char* name, Arrays arrays);
/// As numbers of 16 bits, not copied where they may stay.
Stored<Fixed> fixed(const Json& from, const char* name, Arrays arrays);
/// As an array of T, which has the bytes of the file in memory; none where it has to be copied.
template <class T>
std::optional<Stored<T>> in_place(const Json& from, const char* name, Arrays arrays) {
    const std::span<const std::uint8_t> there = bytes(from, name, arrays);
    if (!arrays.stay || std::endian::native != std::endian::little ||
        reinterpret_cast<std::uintptr_t>(there.data()) % alignof(T) != 0 ||
        there.size() % sizeof(T) != 0)
        return std::nullopt;
    return Stored<T>::in_place(
        {reinterpret_cast<const T*>(there.data()), there.size() / sizeof(T)});
}
/// As floats, all of which are numbers.
std::vector<float> stored_floats(const Json& from, const char* name, Arrays arrays);

/// Texts without line breaks, as one array, and back.
Bytes to_lines(const std::vector<std::string>& texts);
std::vector<std::string> from_lines(std::span<const std::uint8_t> text);

}  // namespace sptune::models
