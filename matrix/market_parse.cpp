#include "matrix/market_parse.hpp"

#include "matrix/market_header.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <fast_float/fast_float.h>
#include <fmt/format.h>

namespace sptune::detail {

namespace {

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}
bool ends_token(char c) {
    return is_blank(c) || c == '\n';
}
unsigned digit(char c) {
    return static_cast<unsigned char>(c) - unsigned{'0'};
}

// Every text ends in '\n', so none of these loops needs to look for the end.
const char* skip_blanks(const char* p) {
    while (is_blank(*p)) ++p;
    return p;
}

const char* next_line(const char* p, const char* end) {
    const auto rest = static_cast<std::size_t>(end - p);
    return static_cast<const char*>(std::memchr(p, '\n', rest)) + 1;
}

std::string_view token_at(const char* p) {
    const char* begin = p;
    while (!ends_token(*p)) ++p;
    return {begin, static_cast<std::size_t>(p - begin)};
}

[[noreturn]] void fail(const char* p, std::string_view what, std::string_view expected) {
    const std::string_view token = token_at(p);
    throw ParseFault{
        p, token.empty() ? fmt::format("the {} is missing; expected {}", what, expected)
                         : fmt::format("the {} is {}; expected {}", what, quoted(token), expected)};
}

/// The rare spellings ('+', many leading zeros) and everything wrong.
[[gnu::noinline]] const char* parse_odd_index(const char* p, std::int64_t size, index_t& index,
                                              std::string_view what) {
    const std::string_view token = token_at(p);
    std::string_view digits = token;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || value < 1 || value > size)
        fail(p, what, fmt::format("a whole number from 1 to {}", size));
    index = static_cast<index_t>(value - 1);
    return token.data() + token.size();
}

const char* parse_index(const char* p, std::int64_t size, index_t& index, std::string_view what) {
    constexpr std::ptrdiff_t kSafeDigits = 19;  // never overflow 64 bits
    const char* begin = p;
    std::uint64_t value = 0;
    for (unsigned d; (d = digit(*p)) < 10; ++p) value = value * 10 + d;
    if (value - 1 >= static_cast<std::uint64_t>(size) || p - begin > kSafeDigits || !ends_token(*p))
        [[unlikely]]
        return parse_odd_index(begin, size, index, what);
    index = static_cast<index_t>(value - 1);
    return p;
}

/// '+', Fortran's 1.0D+03, and everything wrong.
template <class T>
[[gnu::noinline]] const char* parse_odd_real(const char* p, T& value) {
    const std::string_view token = token_at(p);
    std::string text(token.substr(token.starts_with('+') ? 1 : 0));
    for (char& c : text)
        if (c == 'd' || c == 'D') c = 'e';
    const auto [end, error] = fast_float::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::invalid_argument || end != text.data() + text.size() ||
        (token[0] == '+' && text[0] == '-'))
        fail(p, "value", "a number");
    if (!std::isfinite(value)) {
        const bool spelled = text.find_first_of("0123456789") == std::string::npos;
        fail(p, "value",
             spelled ? "a finite number"
                     : fmt::format("a number that fits {}", to_string(value_type_of<T>())));
    }
    return token.data() + token.size();
}

template <class T>
const char* parse_real(const char* p, const char* end, T& value) {
    const auto [stop, error] = fast_float::from_chars(p, end, value);
    if (error != std::errc() || !ends_token(*stop) || !std::isfinite(value)) [[unlikely]]
        return parse_odd_real(p, value);
    return stop;
}

template <class T>
const char* parse_integer(const char* p, const char* end, T& value) {
    constexpr std::ptrdiff_t kSafeDigits = 18;
    const char* begin = p;
    const bool negative = *p == '-';
    p += negative || *p == '+';
    const char* digits = p;
    std::int64_t magnitude = 0;
    while (digit(*p) < 10 && p - digits < kSafeDigits) magnitude = magnitude * 10 + digit(*p++);
    if (p == digits || !ends_token(*p)) [[unlikely]] {
        while (digit(*p) < 10) ++p;
        if (p == digits || !ends_token(*p)) fail(begin, "value", "a whole number");
        return parse_real(begin, end, value);
    }
    value = static_cast<T>(negative ? -magnitude : magnitude);
    return p;
}

enum class ValueRule { skip, none, integer, real };

template <class T, bool coordinate, ValueRule rule>
std::size_t parse_lines(const char* p, const char* end, const MarketHeader& header,
                        EntrySink<T> sink) {
    const bool skew = header.symmetry == MarketSymmetry::skew_symmetric;
    std::size_t count = 0;
    while (p < end) {
        p = skip_blanks(p);
        if (*p == '\n') {
            ++p;
            continue;
        }
        if (*p == '%') {
            p = next_line(p, end);
            continue;
        }
        const char* line = p;
        if constexpr (coordinate) {
            p = parse_index(p, header.rows, sink.rows[count], "row");
            p = parse_index(skip_blanks(p), header.cols, sink.cols[count], "column");
            p = skip_blanks(p);
        }
        if constexpr (rule == ValueRule::skip) {
            p = next_line(p, end);
            ++count;
            continue;
        } else if constexpr (rule == ValueRule::integer) {
            p = parse_integer(p, end, sink.values[count]);
        } else if constexpr (rule == ValueRule::real) {
            p = parse_real(p, end, sink.values[count]);
        }
        if (*p != '\n') [[unlikely]] {
            p = skip_blanks(p);
            if (*p != '\n' && *p != '%')
                throw ParseFault{p,
                                 fmt::format("{} follows the entry; expected the end of the line",
                                             quoted(token_at(p)))};
            p = next_line(p, end);
        } else {
            ++p;
        }
        if constexpr (coordinate)
            if (skew && sink.rows[count] == sink.cols[count]) {
                if (rule == ValueRule::none || sink.values[count] != T(0))
                    throw ParseFault{line,
                                     "the diagonal of a skew-symmetric matrix has an entry that is "
                                     "not 0; expected entries below the diagonal only"};
            }
        ++count;
    }
    return count;
}

}  // namespace

template <class T>
std::size_t parse_market_lines(const char* begin, const char* end, const MarketHeader& header,
                               ParsePass pass, EntrySink<T> sink) {
    const bool integer = header.field == MarketField::integer;
    if (header.layout == MarketLayout::array)
        return integer ? parse_lines<T, false, ValueRule::integer>(begin, end, header, sink)
                       : parse_lines<T, false, ValueRule::real>(begin, end, header, sink);
    if (header.field == MarketField::pattern)
        return parse_lines<T, true, ValueRule::none>(begin, end, header, sink);
    if (pass == ParsePass::indices)
        return parse_lines<T, true, ValueRule::skip>(begin, end, header, sink);
    return integer ? parse_lines<T, true, ValueRule::integer>(begin, end, header, sink)
                   : parse_lines<T, true, ValueRule::real>(begin, end, header, sink);
}

template std::size_t parse_market_lines(const char*, const char*, const MarketHeader&, ParsePass,
                                        EntrySink<float>);
template std::size_t parse_market_lines(const char*, const char*, const MarketHeader&, ParsePass,
                                        EntrySink<double>);

}  // namespace sptune::detail
