// The bytes of a .spt file, version 1: head, row pointer, columns, values.
#pragma once

#include "matrix/types.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace sptune::detail {

/// The line ends show a file that was mangled as text.
inline constexpr std::string_view kSptMagic{"SPT\r\n\x1a\n\x01", 8};

struct SptFileHead {
    std::array<char, 8> magic = {'S', 'P', 'T', '\r', '\n', '\x1a', '\n', '\x01'};
    std::uint32_t byte_order = 0x01020304;
    std::uint32_t version = 1;
    std::uint32_t value_bytes = 8;
    std::uint32_t pointer_bytes = 4;
    std::int64_t rows = 0, cols = 0, nnz = 0;
    std::array<std::uint64_t, 3> section_hash{};  ///< XXH3, 64 bits, of each section
    std::uint64_t head_hash = 0;                  ///< of this struct with a 0 here
    std::array<std::uint64_t, 6> reserved{};
};
static_assert(sizeof(SptFileHead) == 128);

/// Where the sections lie: each starts at a multiple of 64 and is followed by zeros up to the next.
struct SptLayout {
    struct Section {
        std::string_view name;
        std::uint64_t offset = 0, bytes = 0, padding = 0;
    };
    std::array<Section, 3> sections;
    std::uint64_t file_size = sizeof(SptFileHead);

    /// The sizes in `head` must be possible ones: they are not checked for overflow here.
    explicit SptLayout(const SptFileHead& head)
        : sections{{{"row pointers"}, {"columns"}, {"values"}}} {
        const auto nnz = static_cast<std::uint64_t>(head.nnz);
        const std::array<std::uint64_t, 3> bytes = {
            (static_cast<std::uint64_t>(head.rows) + 1) * head.pointer_bytes, nnz * sizeof(index_t),
            nnz * head.value_bytes};
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            constexpr std::uint64_t kAlign = 64;
            const std::uint64_t padding = (kAlign - bytes[i] % kAlign) % kAlign;
            sections[i].offset = file_size;
            sections[i].bytes = bytes[i];
            sections[i].padding = padding;
            file_size += bytes[i] + padding;
        }
    }
};

}  // namespace sptune::detail
