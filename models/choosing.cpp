#include "models/choosing.hpp"

#include "kernels/registry.hpp"
#include "kernels/safe.hpp"
#include "models/launch_bound.hpp"
#include "models/launching.hpp"
#include "models/shortlist.hpp"
#include "models/small_tiles.hpp"

#include <algorithm>
#include <cmath>

namespace sptune::models {
namespace {

/// As a program calls it.
struct Guess {
    const Timed* timed = nullptr;
    double us = 0, predicted_us = 0;
};

Guess exactly(const Sample& s, const Timed& t) {
    const double us = as_called_us(s.device, t.variant, t.us);
    return {&t, us, us};
}

/// What the predictor knows, the one to take first. Never empty.
std::vector<Guess> ranking(const Predictor& predictor, const Sample& s, double calls) {
    std::vector<const Timed*> known;
    std::vector<Option> options;
    for (const Timed& t : s.timed)
        if (predictor.knows(t.variant)) known.push_back(&t), options.push_back({&t.variant, 0});
    const auto predictions = predictor.predict(s.features, s.device, options);
    std::vector<std::pair<double, Guess>> totals;
    for (std::size_t i = 0; i < known.size(); ++i) {
        const Guess guess{known[i], as_called_us(s.device, known[i]->variant, known[i]->us),
                          expected_us(s.device, known[i]->variant, predictions[i].time_us)};
        const double total =
            guess.predicted_us + (calls > 0 ? predictions[i].convert_us / calls : 0);
        if (std::isfinite(total)) totals.push_back({total, guess});
    }
    std::stable_sort(totals.begin(), totals.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    const auto plain = std::find_if(totals.begin(), totals.end(), [&](const auto& t) {
        return t.second.timed == &s.timed[s.baseline];
    });
    if (plain != totals.end() && totals.front().first > kWorthwhile * plain->first)
        std::rotate(totals.begin(), plain, plain + 1);
    std::vector<Guess> list;
    for (const auto& [total, guess] : totals) list.push_back(guess);
    if (list.empty()) list.push_back(exactly(s, s.timed[s.baseline]));
    return list;
}

Variant safe_for(const Sample& s, const Outline& outline) {
    return spmv_safe(s.backend(), s.value, IndexType::i32, outline);
}

/// nullptr where it was not measured.
const Timed* timed_of(const Sample& s, const Variant& variant) {
    const std::string name = short_name(variant);
    const auto found = std::find_if(s.timed.begin(), s.timed.end(),
                                    [&](const Timed& t) { return short_name(t.variant) == name; });
    return found == s.timed.end() ? nullptr : &*found;
}

index_t cols_of(const Sample& s) {
    return static_cast<index_t>(s.features.cols);
}

Outline outline_of(const Sample& s) {
    return {static_cast<index_t>(s.features.rows), s.features.nnz, s.features.row_max,
            s.device.threads};
}

}  // namespace

const Timed* chosen_by_launches(const Sample& s) {
    if (s.backend() != Backend::cuda) return nullptr;
    const Outline outline = outline_of(s);
    const Variant safe = safe_for(s, outline);
    return waits_for_launch(safe, outline, cols_of(s), launching_of(s.device)) ? timed_of(s, safe)
                                                                               : nullptr;
}

const Timed* chosen_at_sight(const Sample& s, double calls) {
    if (s.backend() != Backend::cuda) return nullptr;
    const Outline outline = outline_of(s);
    const Variant safe = safe_for(s, outline);
    if (!tiles_suffice(safe, outline)) return chosen_by_launches(s);
    const double launch_us = launching_of(s.device).host_us;
    const Variant plain = spmv_baseline(s.backend(), s.value, IndexType::i32);
    const double plain_us = threads_per_row_us(plain, outline, cols_of(s));
    const bool pays = tiles_pay(std::max(small_tiles_us(s.value, outline), launch_us),
                                kSmallTilesConvertUs, std::max(plain_us, launch_us), calls);
    return pays ? timed_of(s, safe) : nullptr;
}

const Timed& chosen_by(const Predictor& predictor, const Sample& s, double calls) {
    return *ranking(predictor, s, calls).front().timed;
}

const Timed& settled_by(const Predictor& predictor, const Sample& s) {
    if (const Timed* const at_once = chosen_by_launches(s)) return *at_once;
    const std::vector<Guess> ranked = ranking(predictor, s, 0);
    const Timed* const plain = &s.timed[s.baseline];
    const std::string safe = short_name(safe_for(s, outline_of(s)));
    // The safe kernel where the predictor knows it: predictions are right relative to its time.
    Guess first = exactly(s, *plain);
    for (const Guess& g : ranked)
        if (g.timed == plain) first = g;
    for (const Guess& g : ranked)
        if (short_name(g.timed->variant) == safe) first = g;
    const auto scale_of = [](const Guess& g) { return g.us / g.predicted_us; };

    std::vector<const Variant*> variants;
    for (const Guess& g : ranked) variants.push_back(&g.timed->variant);
    std::vector<Guess> offers{ranked.front()};
    for (const std::size_t i : worth_trying(variants)) offers.push_back(ranked[i]);
    for (const Guess& g : ranked)
        if (g.timed == plain) offers.push_back(g);

    Guess active = first;
    for (bool found = true; found;) {
        found = false;
        const double scale = scale_between(scale_of(first), scale_of(active));
        for (const Guess& offer : offers) {
            const double saving =
                expected_saving(scale * offer.predicted_us / active.us,
                                same_algorithm(offer.timed->variant, active.timed->variant));
            if (saving < kLeastSaving || offer.us >= active.us) continue;
            active = offer;
            found = true;
            break;
        }
    }
    return *active.timed;
}

}  // namespace sptune::models
