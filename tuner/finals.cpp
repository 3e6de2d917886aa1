// The end of a search where the second look did not decide: successive halving among the survivors;
// then the last few, the baseline and the vendor's best take turns until it is clear who wins.
#include "tuner/search.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

namespace sptune::tuner {
/// Taking turns needs all of them converted at once. Where memory does not allow it, each takes all
/// its samples in one go.
bool Search::fits(const Field& field) const {
    std::map<std::string, std::uint64_t> held;
    for (const Runner* r : field) held[r->layout()] = r->footprint.storage_bytes;
    std::uint64_t sum = 0;
    for (const auto& [layout, bytes] : held) sum += bytes;
    return sum <= shelf_.capacity();
}

void Search::start_race(const Field& field) {
    stage_start_us_ = options_.clock();
    trim(field);
    for (Runner* r : field) r->timing = Timing{};
}

/// One round: everybody gives `samples` samples. Rounds start at different places, so that nobody
/// always follows the same neighbour. Those that can no longer be converted drop out. False where
/// the round was cut short.
bool Search::race(Field& field, int round, int samples) {
    const bool together = fits(field);
    std::set<const Runner*> lost;
    bool whole = true;
    for (std::size_t i = 0; i < field.size() && whole; ++i) {
        Runner& r = *field[(i + static_cast<std::size_t>(round)) % field.size()];
        MeasureOptions o = measure_options(r, true);
        o.min_batch_us = effort_.batch_us;
        const bool fine = guard(r, "timed again", [&] {
            const Storage& converted = *convert(r).storage;
            measure_more([&] { r.contender.run(converted); }, o, samples, r.timing);
        });
        if (!fine) lost.insert(&r);
        if (!together) trim({});
        whole = !stopped();
    }
    std::erase_if(field, [&](const Runner* r) { return lost.contains(r); });
    return whole;
}

/// Whether so many rounds are over before the budget is. Of a turn the first calls do not count.
bool Search::affords(const Field& field, int rounds, int samples) const {
    if (options_.budget_s <= 0 || options_.cache == Cache::cold) return !over(1);
    const bool together = fits(field);
    double us = options_.clock() - start_us_;
    for (const Runner* r : field) {
        const int calls = samples + (settles(*r) ? effort_.settling_calls / 2 : 1);
        us += rounds * (calls * std::max(effort_.batch_us, r->record.time->min) +
                        (together ? 0 : r->record.convert_us));
    }
    return !stopped() && us <= 1e6 * options_.budget_s;
}

/// Forgets what a round that was cut short has added.
void Search::keep_rounds(const Field& field, int rounds, int samples) {
    const auto kept = static_cast<std::size_t>(rounds) * static_cast<std::size_t>(samples);
    for (Runner* r : field)
        r->timing.samples_us.resize(std::min(kept, r->timing.samples_us.size()));
}

/// The times of this stage replace earlier ones: they were taken under the same conditions.
void Search::settle(const Field& field, const std::string& stage) {
    for (Runner* r : field) {
        record_time(*r, r->timing);
        r->record.reason = stage;
        learn(*r);
    }
}

/// The `most` fastest, without those that are slower than the best by more than `factor`.
Search::Field Search::close_to_best(std::size_t most, double factor) {
    Field field = leaders(most);
    std::erase_if(field, [&](const Runner* r) {
        return r->judged_us() > factor * field.front()->judged_us();
    });
    return field;
}

void Search::halve() {
    Field field = close_to_best(effort_.survivors, effort_.survivor_factor);
    for (int stage = 1; field.size() > effort_.finalists && !over(1); ++stage) {
        const std::string name = fmt::format("halving {}", stage);
        const int rounds = fits(field) ? 2 * stage : 1;
        const int samples = effort_.visit * 2 * stage / rounds;
        if (!affords(field, 1, samples)) break;
        start_race(field);
        int done = 0;
        for (; done < rounds && !(done > 0 && over(1)); ++done) {
            report(name, static_cast<double>(done) / rounds, done, rounds);
            if (!race(field, done, samples)) break;
        }
        if (done == 0) break;
        keep_rounds(field, done, samples);
        settle(field, name);
        std::stable_sort(field.begin(), field.end(), [](const Runner* a, const Runner* b) {
            return std::pair(a->record.time->median, a->record.device_us) <
                   std::pair(b->record.time->median, b->record.device_us);
        });
        // Never more than there are: some may have failed on the way.
        field.resize(std::min(field.size(), std::max(effort_.finalists, field.size() / 2)));
    }
    final_ = std::move(field);
}

/// Twenty times as slow is slow enough to be known without taking turns. By the least time: whoever
/// was disturbed has to be timed again. The baseline, which all others are held against, may have
/// been disturbed all the time, so that it is left out only where taking turns would take long.
bool Search::far_behind(const Runner& r) const {
    const double least = r.record.time->min;
    if (least <= effort_.lost * best_->record.time->median) return false;
    const double turns_us = effort_.least_rounds * effort_.visit * least;
    return r.record.id != scene_.baseline || turns_us > effort_.chances_us;
}

/// The baseline, the guest and, of each vendor algorithm, the fastest.
Search::Field Search::anchors() {
    std::map<std::string, Runner*> found;
    for (Runner* r : leaders(runners_.size())) {
        if (!r->anchor || far_behind(*r)) continue;
        const bool own = r->record.id == scene_.baseline || r->record.id == options_.guest;
        found.emplace(own ? r->record.id : r->record.format + "." + r->record.algorithm, r);
    }
    Field list;
    for (const auto& [name, r] : found) list.push_back(r);
    return list;
}

void Search::invite_anchors() {
    for (Runner* r : anchors())
        if (std::find(final_.begin(), final_.end(), r) == final_.end()) final_.push_back(r);
}

void Search::final() {
    invite_anchors();
    const bool together = fits(final_);
    const int most = together ? effort_.most_rounds : 1;
    const int least = together ? effort_.least_rounds : 1;
    const int samples = together ? effort_.visit : effort_.visit * effort_.least_rounds;
    const auto slow_anchor = [&](const Runner* r) {
        return r->anchor && !always_measured(*r) &&
               r->judged_us() > effort_.again_factor * best_->judged_us();
    };
    if (!affords(final_, least, samples)) std::erase_if(final_, slow_anchor);
    const bool affordable = affords(final_, least, samples);
    start_race(final_);
    int rounds = 0;
    while (affordable && rounds < most && !over(1)) {
        report("final", static_cast<double>(rounds) / most, rounds, most);
        if (!race(final_, rounds, samples)) break;
        if (++rounds < least) continue;
        if (options_.clock() - stage_start_us_ > effort_.final_us || decided()) break;
    }
    if (rounds >= least) {
        keep_rounds(final_, rounds, samples);
        settle(final_, "final");
    } else {
        if (!final_.empty()) end_early();
        final_.clear();
    }
}

/// Nothing more to learn: everybody is either clearly slower than the fastest or known precisely.
bool Search::decided() const {
    constexpr double kPrecise = 0.005;
    const Runner* fastest = nullptr;
    std::map<const Runner*, Statistics> seen;
    for (const Runner* r : final_) {
        seen[r] = r->timing.statistics();
        if (!fastest || seen[r].median < seen[fastest].median) fastest = r;
    }
    return std::all_of(final_.begin(), final_.end(), [&](const Runner* r) {
        return seen[r].noise() <= kPrecise ||
               (r != fastest && clearly_faster(fastest->timing.samples_us, r->timing.samples_us));
    });
}

}  // namespace sptune::tuner
