#include "models/evaluate.hpp"

#include "matrix/error.hpp"
#include "models/bestsf.hpp"
#include "models/heuristic.hpp"
#include "models/nearest.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>

#include <fmt/format.h>

namespace sptune::models {
namespace {

constexpr std::size_t kMisses = 10;  ///< listed

double cost(const Timed& t, double calls) {
    return t.us + (calls > 0 ? t.convert_us / calls : 0);
}

template <class Allowed>
const Timed* cheapest(const Sample& s, double calls, Allowed allowed) {
    const Timed* best = nullptr;
    for (const Timed& t : s.timed)
        if (allowed(t) && (!best || cost(t, calls) < cost(*best, calls))) best = &t;
    return best;
}

/// Adds up what one way of choosing did.
class Tally {
  public:
    Tally(std::string name, double calls) : calls_(calls) { score_.name = std::move(name); }

    void add(const Sample& s, const Timed& chosen) {
        const Timed& best = *cheapest(s, calls_, [](const Timed& t) { return !t.bounded; });
        const double csr = cost(s.timed[s.baseline], calls_), mine = cost(chosen, calls_);
        // A guess for what was not measured may be better than the best.
        const double regret = std::max(mine / cost(best, calls_), 1.0) - 1;
        ++score_.matrices;
        score_.right_format += chosen.variant.format == best.variant.format;
        score_.within_5 += regret <= 0.05;
        score_.slower += mine > csr;
        score_.slower_5 += mine > 1.05 * csr;
        score_.geomean += std::log1p(regret);
        score_.speedup += std::log(csr / mine);
        ++score_.confusion[best.variant.format][chosen.variant.format];
        regrets_.push_back(regret);
        score_.misses.push_back({s.name, chosen.variant.id(), best.variant.id(), regret});
    }

    Score score() {
        const double n = std::max(score_.matrices, 1);
        for (double* share :
             {&score_.right_format, &score_.within_5, &score_.slower, &score_.slower_5})
            *share /= n;
        score_.geomean = std::expm1(score_.geomean / n);
        score_.speedup = std::exp(score_.speedup / n);
        std::sort(regrets_.begin(), regrets_.end());
        if (!regrets_.empty())
            score_.p95 = regrets_[static_cast<std::size_t>(
                                      std::ceil(0.95 * static_cast<double>(regrets_.size()))) -
                                  1];
        std::stable_sort(score_.misses.begin(), score_.misses.end(),
                         [](const auto& a, const auto& b) { return a.regret > b.regret; });
        score_.misses.resize(std::min(score_.misses.size(), kMisses));
        return score_;
    }
    bool empty() const { return regrets_.empty(); }

  private:
    Score score_;
    double calls_;
    std::vector<double> regrets_;
};

std::vector<Fold> folds_of(const std::vector<const Sample*>& all, const EvaluateOptions& options,
                           std::string& protocol) {
    std::vector<Fold> folds;
    if (!options.given.empty()) {
        protocol = "the given model on all matrices";
        folds.push_back({{}, all});
    } else if (!options.hold_out.empty()) {
        protocol = fmt::format("all but {} train, those test", options.hold_out);
        Fold fold;
        std::set<std::string> held;
        for (const Sample* s : all)
            if (matches(s->name, options.hold_out)) held.insert(s->name);
        for (const Sample* s : all) (held.contains(s->name) ? fold.test : fold.train).push_back(s);
        folds.push_back(std::move(fold));
    } else {
        protocol = fmt::format("{} folds by family", options.folds);
        for (int i = 0; i < options.folds; ++i) folds.push_back(fold_of(all, options.folds, i));
    }
    std::erase_if(folds, [&](const Fold& f) {
        return f.test.empty() || (f.train.empty() && options.given.empty());
    });
    return folds;
}

}  // namespace

Evaluation evaluate(const std::vector<Sample>& samples, const EvaluateOptions& options) {
    std::vector<const Sample*> all;
    std::set<std::string> names, groups;
    for (const Sample& s : samples) {
        all.push_back(&s), names.insert(s.name), groups.insert(s.group);
        if (s.device.backend != samples.front().device.backend)
            throw Error("evaluate: samples of several backends; take one at a time");
    }
    Evaluation result;
    result.matrices = static_cast<int>(names.size()),
    result.groups = static_cast<int>(groups.size());
    const std::vector<Fold> folds = folds_of(all, options, result.protocol);
    if (folds.empty())
        throw Error(
            fmt::format("evaluate: {} matrices of {} families leave nothing to train on or "
                        "nothing to test; expected two families at least",
                        names.size(), groups.size()));

    std::vector<Tally> tallies;
    std::map<std::string, Tally> devices;
    const auto tally = [&](std::size_t i, const std::string& name) -> Tally& {
        if (i == tallies.size()) tallies.emplace_back(name, options.calls);
        return tallies[i];
    };
    TreeOptions trees = options.trees.value_or(usual_options(all.front()->backend()));
    trees.folds = 0;
    for (const Fold& fold : folds) {
        std::vector<std::unique_ptr<Predictor>> made;
        if (options.given.empty()) {
            made.push_back(std::make_unique<TreeModel>(TreeModel::train(fold.train, trees)));
            made.push_back(std::make_unique<BestSf>(BestSf::train(fold.train)));
            made.push_back(std::make_unique<Nearest>(fold.train));
        }
        made.push_back(std::make_unique<Heuristic>());
        std::vector<const Predictor*> predictors = options.given;
        for (const auto& p : made) predictors.push_back(p.get());
        for (const Sample* s : fold.test) {
            devices.try_emplace(s->device.key, s->device.key, options.calls)
                .first->second.add(*s, chosen_by(*predictors.front(), *s, options.calls));
            std::size_t i = 0;
            for (const Predictor* p : predictors)
                tally(i++, p->name()).add(*s, chosen_by(*p, *s, options.calls));
            const std::size_t tried = options.given.empty() ? 1 : options.given.size();
            for (std::size_t p = 0; p < tried; ++p)
                tally(i++, predictors[p]->name() + ", tried")
                    .add(*s, settled_by(*predictors[p], *s));
            tally(i++, "always CSR").add(*s, s->timed[s->baseline]);
            const Timed* vendor = cheapest(
                *s, options.calls, [](const Timed& t) { return t.variant.vendor && !t.bounded; });
            Tally& vendors = tally(i++, "vendor's best");
            if (vendor) vendors.add(*s, *vendor);
        }
    }
    for (Tally& t : tallies)
        if (!t.empty()) result.scores.push_back(t.score());
    if (devices.size() > 1)
        for (auto& [key, tally_of] : devices) result.by_device.push_back(tally_of.score());
    return result;
}

}  // namespace sptune::models
