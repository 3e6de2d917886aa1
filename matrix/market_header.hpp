// Inside of the Matrix Market reader: the banner and the size line.
#pragma once

#include "matrix/line_source.hpp"
#include "matrix/market.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace sptune::detail {

/// A piece of the user's text, fit for a message: quoted, shortened, unprintable bytes escaped.
std::string quoted(std::string_view text);

/// Reads the head of `source`, which stands at its start, and leaves in `rest` what follows the
/// size line in the current block. Counts that the file is too small for are refused, so that
/// nothing large is ever allocated on a promise. Throws InputError.
MarketHeader parse_market_header(const std::string& path, LineSource& source,
                                 std::string_view& rest);

/// The fewest bytes that a line of data takes: "1 1\n" or "1\n".
constexpr std::uint64_t min_line_bytes(MarketLayout layout) {
    return layout == MarketLayout::coordinate ? 4 : 2;
}

}  // namespace sptune::detail
