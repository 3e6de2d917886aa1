#include "tuner/mode.hpp"

#include "matrix/error.hpp"

#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

namespace sptune::tuner {

Mode mode() {
    const char* const value = std::getenv("SPTUNE_MODE");
    const std::string_view word = value ? value : "";
    if (word.empty() || word == "read") return Mode::read;
    if (word == "off") return Mode::off;
    if (word == "tune") return Mode::tune;
    throw UsageError(fmt::format("SPTUNE_MODE: expected off, read or tune, not \"{}\"", word));
}

}  // namespace sptune::tuner
