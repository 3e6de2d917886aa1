#include "models/shortlist.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace sptune::models {
namespace {

constexpr std::size_t kNext = 4, kOtherAlgorithms = 2;

/// Standard deviations of logarithms of two times' ratio, measured over predicted. Sweeps say 0.07
/// to 0.12 and 0.11 to 0.20, with what single measurements are off by
/// (bench/results/2026-11-27-trials.md).
constexpr double kDoubtOfAlike = 0.08, kDoubt = 0.15;

}  // namespace

double scale_between(double plain, double in_use) {
    return std::sqrt(plain * in_use);
}

bool same_algorithm(const Variant& a, const Variant& b) {
    return a.format == b.format && a.algorithm == b.algorithm;
}

double expected_saving(double ratio, bool alike) {
    const double doubt = alike ? kDoubtOfAlike : kDoubt;
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
