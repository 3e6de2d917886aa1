// Aligned tables of UTF-8 text.
#pragma once

#include "cli/style.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sptune::cli {

/// Columns that `text` takes on a terminal: code points, wide ones twice, combining ones not.
std::size_t display_width(std::string_view text);

/// Names from other people's files: no line breaks, no terminal escapes.
std::string printable(std::string text);

/// `text` cut to at most `width` columns, ending in "…" where something is missing.
std::string fit(std::string_view text, std::size_t width);

/// `text` broken at spaces into lines of at most `width` columns, each after the first indented.
/// The first begins in column `begin`.
std::string wrap(std::string_view text, std::size_t width, std::size_t indent,
                 std::size_t begin = 0);

enum class Align { left, right };

struct Column {
    std::string heading;
    Align align = Align::right;
};

class Table {
  public:
    explicit Table(std::vector<Column> columns, std::size_t indent = 2, std::size_t gap = 2)
        : columns_(std::move(columns)), indent_(indent), gap_(gap) {}

    /// One cell per column; missing ones at the end are empty.
    void add(std::vector<std::string> cells, Tone tone = Tone::plain);
    bool empty() const { return rows_.empty(); }

    /// Ends in a newline. The headings are left out when all are empty. Where the table would pass
    /// `width` columns, the gaps shrink to one space.
    std::string render(const Style& style, std::size_t width = 100) const;

  private:
    struct Row {
        std::vector<std::string> cells;
        Tone tone;
    };
    std::string line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                     std::size_t gap) const;

    std::vector<Column> columns_;
    std::vector<Row> rows_;
    std::size_t indent_, gap_;
};

}  // namespace sptune::cli
