// Sorting the columns of one row of C.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace sptune {

/// Sorts `n` keys by their upper `bits` bits below bit `top`; equal ones keep their order. Keys
/// whose lower bits increase (position numbers) may be sorted by whole, which short rows are.
/// `scratch` has room for n.
inline void sort_keys(std::uint64_t* keys, std::uint64_t* scratch, std::size_t n, int low,
                      int top) {
    constexpr std::size_t kShort = 20, kMedium = 300;
    if (n <= kShort) {
        for (std::size_t i = 1; i < n; ++i) {
            const std::uint64_t key = keys[i];
            std::size_t j = i;
            for (; j > 0 && keys[j - 1] > key; --j) keys[j] = keys[j - 1];
            keys[j] = key;
        }
        return;
    }
    if (n <= kMedium) {
        std::sort(keys, keys + n);
        return;
    }
    constexpr int kDigit = 8;
    std::uint64_t* from = keys;
    std::uint64_t* to = scratch;
    for (int shift = low; shift < top; shift += kDigit) {
        std::size_t start[(1 << kDigit) + 1] = {};
        const auto digit = [&](std::uint64_t key) { return key >> shift & ((1 << kDigit) - 1); };
        for (std::size_t i = 0; i < n; ++i) ++start[digit(from[i]) + 1];
        for (int d = 0; d < 1 << kDigit; ++d) start[d + 1] += start[d];
        for (std::size_t i = 0; i < n; ++i) to[start[digit(from[i])]++] = from[i];
        std::swap(from, to);
    }
    if (from != keys) std::copy_n(from, n, keys);
}

/// A column and where its value is, such that sorting the keys sorts the columns.
constexpr std::uint64_t column_key(std::int32_t column, std::uint32_t position) {
    return static_cast<std::uint64_t>(column) << 32 | position;
}
constexpr std::int32_t column_of(std::uint64_t key) {
    return static_cast<std::int32_t>(key >> 32);
}
constexpr std::uint32_t position_of(std::uint64_t key) {
    return static_cast<std::uint32_t>(key);
}
/// Sorts column_key()s of columns below `cols`.
inline void sort_columns(std::uint64_t* keys, std::uint64_t* scratch, std::size_t n,
                         std::int32_t cols) {
    sort_keys(keys, scratch, n, 32,
              32 + static_cast<int>(std::bit_width(static_cast<unsigned>(cols))));
}

}  // namespace sptune
