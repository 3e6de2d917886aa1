#include "tuner/regret.hpp"

#include "tuner/statistics.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace sptune::tuner {
namespace {

/// Samples taken in a row see the same moment: those of one visit, and their neighbours, stay
/// together.
constexpr std::size_t kMoment = 6;

/// Medians of the moments with even and with odd numbers.
std::array<double, 2> halves(const std::vector<double>& samples) {
    std::array<std::vector<double>, 2> half;
    for (std::size_t i = 0; i < samples.size(); ++i) half[i / kMoment % 2].push_back(samples[i]);
    return {median_of(std::move(half[0])), median_of(std::move(half[1]))};
}

}  // namespace

std::optional<double> regret(const db::Entry& entry, std::string_view id) {
    const db::Candidate* const winner = db::find(entry, entry.winner);
    if (!winner || !winner->time || winner->time->samples.size() < 2 * kMoment) return {};
    std::vector<std::array<double, 2>> field;
    std::optional<std::array<double, 2>> chosen;
    for (const db::Candidate& c : entry.candidates) {
        // Stages take different numbers of samples.
        if (c.status != db::Status::ok || !c.time || c.reason != winner->reason ||
            c.time->samples.size() != winner->time->samples.size())
            continue;
        field.push_back(halves(c.time->samples));
        if (c.id == id) chosen = field.back();
    }
    if (!chosen) return {};
    double product = 1;
    for (const std::size_t decides : {0, 1}) {
        const auto fastest = *std::min_element(
            field.begin(), field.end(),
            [&](const auto& a, const auto& b) { return a[decides] < b[decides]; });
        if (fastest[1 - decides] <= 0) return {};
        product *= (*chosen)[1 - decides] / fastest[1 - decides];
    }
    return std::sqrt(product) - 1;
}

}  // namespace sptune::tuner
