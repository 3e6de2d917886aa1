// Colour, where a person reads.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace sptune::cli {

enum class Tone { plain, bold, dim, good, bad, accent };

/// Paints text, or leaves it alone when colour is off.
class Style {
  public:
    Style() = default;
    /// Colour is on when `stream` is a terminal that can show it and NO_COLOR is unset or empty
    /// (no-color.org).
    explicit Style(std::FILE* stream);

    std::string operator()(Tone tone, std::string_view text) const;

  private:
    bool colour_ = false;
};

}  // namespace sptune::cli
