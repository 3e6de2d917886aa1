// "Did you mean …?"
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sptune::cli {

/// The candidate with the smallest edit distance to `word` (insert, delete, replace, swap of
/// neighbours); empty when none is close enough to be a likely misspelling.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// "; did you mean X?" or nothing.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace sptune::cli
