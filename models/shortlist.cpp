#include "models/shortlist.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace sptune::models {
namespace {

constexpr std::size_t kNext = 4, kOtherAlgorithms = 2;

}  // namespace

double scale_between(double plain, double in_use) {
    return std::sqrt(plain * in_use);
}

double expected_saving(double ratio, double doubt) {
    const auto below = [](double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); };  // normal
    const double z = -std::log(ratio) / doubt;
    return below(z) - ratio * std::exp(doubt * doubt / 2) * below(z - doubt);
}

std::vector<std::size_t> worth_trying(std::span<const Variant* const> ranked) {
    std::vector<std::size_t> places;
    std::vector<std::pair<std::string_view, std::string_view>> seen;  // algorithms
    for (std::size_t i = 0; i < ranked.size(); ++i) {
        const std::pair<std::string_view, std::string_view> own(ranked[i]->format,
                                                                ranked[i]->algorithm);
        const bool other = seen.size() <= kOtherAlgorithms &&
                           std::find(seen.begin(), seen.end(), own) == seen.end();
        if (other) seen.push_back(own);
        if (i > 0 && (other || i <= kNext)) places.push_back(i);
    }
    return places;
}

}  // namespace sptune::models
