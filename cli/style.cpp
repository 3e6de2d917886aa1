#include "cli/style.hpp"

#include <cstdlib>

#include <fmt/format.h>
#include <unistd.h>

namespace sptune::cli {
namespace {

std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

const char* code(Tone tone) {
    switch (tone) {
        case Tone::bold:
            return "1";
        case Tone::dim:
            return "2";
        case Tone::good:
            return "1;32";
        case Tone::bad:
            return "31";
        case Tone::accent:
            return "36";
        case Tone::plain:
            break;
    }
    return "0";
}

}  // namespace

Style::Style(std::FILE* stream)
    : colour_(environment("NO_COLOR").empty() && environment("TERM") != "dumb" &&
              isatty(fileno(stream))) {}

std::string Style::operator()(Tone tone, std::string_view text) const {
    if (!colour_ || tone == Tone::plain || text.empty()) return std::string(text);
    return fmt::format("\033[{}m{}\033[0m", code(tone), text);
}

}  // namespace sptune::cli
