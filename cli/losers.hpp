// Why the candidates that did not win did not.
#pragma once

#include "cli/style.hpp"
#include "db/entry.hpp"

#include <string>

namespace sptune::cli {

/// One line per format: how many of its candidates lost in which way, and the reason of the best of
/// them. Up to `width` columns; empty when nothing lost.
std::string losers_table(const db::Entry& entry, const Style& style, std::size_t width);

}  // namespace sptune::cli
