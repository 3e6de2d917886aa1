#include "cli/table.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace sptune::cli {
namespace {

bool continues(char c) {
    return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

/// The code point that starts at `at`, which is moved behind it. Broken UTF-8 counts as one.
std::uint32_t next_code_point(std::string_view text, std::size_t& at) {
    const auto lead = static_cast<unsigned char>(text[at++]);
    std::uint32_t point = lead < 0x80   ? lead
                          : lead < 0xE0 ? lead & 0x1F
                          : lead < 0xF0 ? lead & 0xF
                                        : lead & 7;
    while (at < text.size() && continues(text[at]))
        point = point << 6 | (static_cast<unsigned char>(text[at++]) & 0x3F);
    return point;
}

std::size_t width_of(std::uint32_t point) {
    if ((point >= 0x300 && point < 0x370) || point == 0x200B || point == 0x200D) return 0;
    const bool wide = (point >= 0x1100 && point < 0x1160) || (point >= 0x2E80 && point < 0xA4D0) ||
                      (point >= 0xAC00 && point < 0xD7A4) || (point >= 0xF900 && point < 0xFB00) ||
                      (point >= 0xFF00 && point < 0xFF61) || (point >= 0x1F300 && point < 0x1FA00);
    return wide ? 2 : 1;
}

}  // namespace

std::size_t display_width(std::string_view text) {
    std::size_t width = 0;
    for (std::size_t at = 0; at < text.size();) width += width_of(next_code_point(text, at));
    return width;
}

std::string printable(std::string text) {
    for (char& c : text)
        if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
    return text;
}

std::string fit(std::string_view text, std::size_t width) {
    if (display_width(text) <= width) return std::string(text);
    std::size_t used = 0, keep = 0;
    for (std::size_t at = 0; at < text.size();) {
        used += width_of(next_code_point(text, at));
        if (used + 1 > width) break;
        keep = at;
    }
    return std::string(text.substr(0, keep)) + "…";
}

std::string wrap(std::string_view text, std::size_t width, std::size_t indent, std::size_t begin) {
    std::string out;
    std::size_t used = begin;
    bool first = true;  // of its line
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        const std::size_t word_width = display_width(word);
        if (!first && used + 1 + word_width > width) {
            out += '\n' + std::string(indent, ' ');
            used = indent;
        } else if (!first) {
            out += ' ';
            ++used;
        }
        first = false;
        out += word;
        used += word_width;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

void Table::add(std::vector<std::string> cells, Tone tone) {
    cells.resize(columns_.size());
    rows_.push_back({std::move(cells), tone});
}

std::string Table::line(const std::vector<std::string>& cells,
                        const std::vector<std::size_t>& widths, std::size_t gap) const {
    std::string out(indent_, ' ');
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        const std::string space(widths[i] - display_width(cells[i]), ' ');
        if (i) out.append(gap, ' ');
        out += columns_[i].align == Align::right ? space + cells[i] : cells[i] + space;
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out;
}

std::string Table::render(const Style& style, std::size_t width) const {
    std::vector<std::string> headings;
    for (const Column& column : columns_) headings.push_back(column.heading);
    std::vector<std::size_t> widths;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
        std::size_t widest = display_width(headings[i]);
        for (const Row& row : rows_) widest = std::max(widest, display_width(row.cells[i]));
        widths.push_back(widest);
    }
    const std::size_t content = std::accumulate(widths.begin(), widths.end(), indent_);
    const std::size_t gap = content + gap_ * (widths.size() - 1) <= width ? gap_ : 1;
    std::string out;
    if (std::any_of(headings.begin(), headings.end(), [](auto& h) { return !h.empty(); }))
        out += style(Tone::dim, line(headings, widths, gap)) + '\n';
    for (const Row& row : rows_) out += style(row.tone, line(row.cells, widths, gap)) + '\n';
    return out;
}

}  // namespace sptune::cli
