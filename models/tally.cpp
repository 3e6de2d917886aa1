#include "models/tally.hpp"

#include "models/spread.hpp"

#include <algorithm>
#include <cmath>

namespace sptune::models {
namespace {

constexpr std::size_t kMisses = 10;  ///< listed

/// What a choice is told by: almost all kernels of products work on CSR.
std::string kind_of(const Variant& v) {
    return v.op == Op::spgemm ? v.format + "." + v.algorithm : v.format;
}

}  // namespace

void Tally::add(const Sample& s, const Timed& chosen, const Timed* elsewhere) {
    const Timed& best = *cheapest(s, calls_, [](const Timed& t) { return !t.bounded; });
    const double csr = cost(s, s.timed[s.baseline], calls_), mine = cost(s, chosen, calls_);
    // A guess for what was not measured may be better than the best.
    const double regret = std::max(mine / cost(s, best, calls_), 1.0) - 1;
    ++score_.matrices;
    score_.right_format += kind_of(chosen.variant) == kind_of(best.variant);
    score_.within_5 += regret <= 0.05;
    score_.slower += mine > csr;
    score_.slower_5 += mine > 1.05 * csr;
    score_.speedup += std::log(csr / mine);
    ++score_.confusion[kind_of(best.variant)][kind_of(chosen.variant)];
    regrets_.push_back(regret);
    if (elsewhere) without_luck_.push_back(mine / cost(s, *elsewhere, calls_) - 1);
    score_.misses.push_back({s.name, chosen.variant.id(), best.variant.id(), regret});
}

Score Tally::score() {
    const double n = std::max(score_.matrices, 1);
    for (double* share : {&score_.right_format, &score_.within_5, &score_.slower, &score_.slower_5})
        *share /= n;
    score_.speedup = std::exp(score_.speedup / n);
    const Spread all = spread_of(regrets_), twice = spread_of(without_luck_);
    score_.geomean = all.geomean, score_.p95 = all.p95;
    score_.without_luck = {static_cast<int>(without_luck_.size()), twice.geomean, twice.p95};
    std::stable_sort(score_.misses.begin(), score_.misses.end(),
                     [](const auto& a, const auto& b) { return a.regret > b.regret; });
    score_.misses.resize(std::min(score_.misses.size(), kMisses));
    return score_;
}

Tally& Tallies::of(const std::string& name) {
    const auto found = std::find_if(list_.begin(), list_.end(),
                                    [&](const auto& entry) { return entry.first == name; });
    if (found != list_.end()) return found->second;
    return list_.emplace_back(name, Tally(name, calls_)).second;
}

std::vector<Score> Tallies::scores() {
    std::vector<Score> scores;
    for (auto& [name, tally] : list_)
        if (!tally.empty()) scores.push_back(tally.score());
    return scores;
}

}  // namespace sptune::models
