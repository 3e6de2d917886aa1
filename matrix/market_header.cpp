#include "matrix/market_header.hpp"

#include "matrix/error.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace sptune {

namespace detail {

std::string quoted(std::string_view text) {
    constexpr std::size_t kLongest = 40;
    std::string result = "'";
    for (const char c : text.substr(0, kLongest)) {
        if (c >= ' ' && c <= '~')
            result += c;
        else
            result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    return result + (text.size() > kLongest ? "...'" : "'");
}

namespace {

constexpr std::string_view kBanner = "%%MatrixMarket";
constexpr std::string_view kExpectedBanner =
    "expected '%%MatrixMarket matrix coordinate real general' or one of its kin";

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return result;
}

std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    for (;;) {
        const std::size_t begin = line.find_first_not_of(" \t\r");
        if (begin == std::string_view::npos) return words;
        line.remove_prefix(begin);
        const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
        words.push_back(line.substr(0, end));
        line.remove_prefix(end);
    }
}

template <class Value>
using Words = std::vector<std::pair<std::string_view, Value>>;

// The first word for each value is the standard's; others are seen in the wild.
const Words<MarketLayout> kLayouts = {{"coordinate", MarketLayout::coordinate},
                                      {"array", MarketLayout::array}};
const Words<MarketField> kFields = {
    {"real", MarketField::real},       {"integer", MarketField::integer},
    {"pattern", MarketField::pattern}, {"complex", MarketField::complex},
    {"double", MarketField::real},     {"unsigned-integer", MarketField::integer}};
const Words<MarketSymmetry> kSymmetries = {{"general", MarketSymmetry::general},
                                           {"symmetric", MarketSymmetry::symmetric},
                                           {"skew-symmetric", MarketSymmetry::skew_symmetric},
                                           {"hermitian", MarketSymmetry::hermitian}};

class HeaderParser {
  public:
    HeaderParser(const std::string& path, LineSource& source, std::string_view& rest)
        : path_(path), source_(source), rest_(rest) {}

    MarketHeader parse() {
        parse_banner();
        parse_sizes();
        header_.header_lines = line_number_;
        return header_;
    }

  private:
    [[noreturn]] void refuse(const std::string& what) const {
        throw InputError(path_, line_number_, what);
    }

    bool next_line(std::string_view& line) {
        if (rest_.empty()) rest_ = source_.next();
        if (rest_.empty()) return false;
        const std::size_t end = rest_.find('\n');
        line = rest_.substr(0, end);
        rest_.remove_prefix(end + 1);
        ++line_number_;
        return true;
    }

    template <class Value>
    Value choose(std::string_view what, const std::string& word, const Words<Value>& words) const {
        std::string names;
        for (const auto& [name, value] : words) {
            if (name == word) return value;
            names += (names.empty() ? "" : ", ") + std::string(name);
        }
        refuse(fmt::format("{} {} is unknown; expected one of {}", what, quoted(word), names));
    }

    void parse_banner() {
        std::string_view line;
        rest_ = {};
        if (!next_line(line)) refuse(fmt::format("the file is empty; {}", kExpectedBanner));
        constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
        if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());
        if (line.substr(0, line.size() - 1).find('\r') != line.npos)
            refuse(
                "its lines end with carriage returns alone; expected line feeds, as "
                "`tr '\\r' '\\n'` makes of them");
        const std::vector<std::string_view> words = words_of(line);
        if (words.empty() || lower(words[0]) != lower(kBanner))
            refuse(fmt::format("is no Matrix Market file: it starts with {}; {}", quoted(line),
                               kExpectedBanner));
        if (words.size() != 5)
            refuse(fmt::format("the banner has {} words instead of 5; {}", words.size(),
                               kExpectedBanner));
        if (lower(words[1]) != "matrix")
            refuse(fmt::format("the object is {}; expected 'matrix'", quoted(words[1])));
        header_.layout = choose("layout", lower(words[2]), kLayouts);
        header_.field = choose("field", lower(words[3]), kFields);
        header_.symmetry = choose("symmetry", lower(words[4]), kSymmetries);
        if (header_.layout == MarketLayout::array && header_.field == MarketField::pattern)
            refuse("an array cannot be of field pattern; expected real, integer or complex");
    }

    std::int64_t parse_size(std::string_view what, std::string_view word, std::int64_t largest) {
        std::int64_t value = 0;
        const std::string_view digits = word.starts_with('+') ? word.substr(1) : word;
        const auto [end, error] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (error == std::errc::invalid_argument || end != digits.data() + digits.size())
            refuse(
                fmt::format("the number of {} is {}; expected a whole number", what, quoted(word)));
        if (error == std::errc::result_out_of_range || value < 0 || value > largest)
            refuse(fmt::format("the number of {} is {}; expected 0 to {}", what, word, largest));
        return value;
    }

    void parse_sizes() {
        const bool coordinate = header_.layout == MarketLayout::coordinate;
        const std::string_view expected = coordinate
                                              ? "expected the size line 'rows columns entries'"
                                              : "expected the size line 'rows columns'";
        std::vector<std::string_view> words;
        for (std::string_view line; words.empty();) {
            if (!next_line(line))
                refuse(fmt::format("the file ends before the sizes; {}", expected));
            if (!line.starts_with('%')) words = words_of(line);
            words.erase(
                std::ranges::find_if(words, [](auto word) { return word.starts_with('%'); }),
                words.end());
        }
        if (words.size() != (coordinate ? 3 : 2))
            refuse(fmt::format("the size line has {} words; {}", words.size(), expected));
        header_.rows = parse_size("rows", words[0], std::numeric_limits<index_t>::max());
        header_.cols = parse_size("columns", words[1], std::numeric_limits<index_t>::max());
        if (header_.symmetry != MarketSymmetry::general && header_.rows != header_.cols)
            refuse(fmt::format("the matrix is {} x {} but not general; expected a square one",
                               header_.rows, header_.cols));
        header_.entries =
            coordinate ? parse_size("entries", words[2], std::numeric_limits<std::int64_t>::max())
                       : array_entries();
        check_entries();
    }

    std::int64_t array_entries() const {
        const std::int64_t n = header_.rows;
        switch (header_.symmetry) {
            case MarketSymmetry::general:
                return n * header_.cols;
            case MarketSymmetry::skew_symmetric:
                return n == 0 ? 0 : n * (n - 1) / 2;
            default:
                return n * (n + 1) / 2;
        }
    }

    void check_entries() const {
        if (header_.entries > 0 && (header_.rows == 0 || header_.cols == 0))
            refuse(fmt::format("{} entries in a matrix of {} x {}; expected none", header_.entries,
                               header_.rows, header_.cols));
        const std::uint64_t line = min_line_bytes(header_.layout);
        const std::uint64_t most = source_.max_text_bytes() / line + 1;
        if (static_cast<std::uint64_t>(header_.entries) > most)
            refuse(
                fmt::format("{} entries are promised, but the file of {} bytes can hold {} at "
                            "most; expected the true count (is the file truncated?)",
                            header_.entries, source_.bytes_total(), most));
    }

    const std::string& path_;
    LineSource& source_;
    std::string_view& rest_;
    MarketHeader header_;
    std::uint64_t line_number_ = 0;
};

}  // namespace

MarketHeader parse_market_header(const std::string& path, LineSource& source,
                                 std::string_view& rest) {
    return HeaderParser(path, source, rest).parse();
}

}  // namespace detail

MarketHeader read_market_header(const std::string& path) {
    const std::unique_ptr<LineSource> source = LineSource::open(path);
    std::string_view rest;
    return detail::parse_market_header(path, *source, rest);
}

}  // namespace sptune
