// Inside of the Matrix Market reader: lines of data -> numbers.
#pragma once

#include "matrix/market.hpp"

#include <cstddef>
#include <string>

namespace sptune::detail {

/// What is wrong with the text, and where.
struct ParseFault {
    const char* where;
    std::string what;
};

/// Where parsed entries go: 0-based indices. Arrays that a layout or field does not have, or that
/// are not wanted, are not touched.
template <class T>
struct EntrySink {
    index_t* rows = nullptr;
    index_t* cols = nullptr;
    T* values = nullptr;
};

/// What a pass over the file is for.
enum class ParsePass {
    indices,  ///< rows and columns only; values are stepped over
    all,
};

/// Parses the lines in [begin, end), the last of which ends in '\n', and returns the number of
/// entries. Comments and blank lines may stand anywhere; blanks are spaces, tabs and carriage
/// returns. The sink must have room for an entry per min_line_bytes(). Throws ParseFault.
template <class T>
std::size_t parse_market_lines(const char* begin, const char* end, const MarketHeader& header,
                               ParsePass pass, EntrySink<T> sink);

}  // namespace sptune::detail
