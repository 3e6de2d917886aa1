// The middle of a search: those that were perhaps only unlucky are visited again; on a CPU, whose
// speed changes from moment to moment, all that are not far behind then take turns.
#include "models/holding.hpp"
#include "tuner/search.hpp"
#include "tuner/statistics.hpp"

#include <algorithm>

namespace sptune::tuner {
namespace {

constexpr double kDisturbed = 2;  // times as slow as in the best rounds, or calls

/// By how many times as long kernels on one thread and on all took in a round as in their best
/// ones. Few of a kind tell nothing by themselves.
bool is_calm(std::vector<double> of_one, std::vector<double> of_all) {
    constexpr std::size_t kFew = 3;
    if (of_one.size() < kFew || of_all.size() < kFew) {
        of_all.insert(of_all.end(), of_one.begin(), of_one.end());
        return median_of(std::move(of_all)) <= kDisturbed;
    }
    return median_of(std::move(of_one)) <= kDisturbed && median_of(std::move(of_all)) <= kDisturbed;
}

}  // namespace

/// Who is far behind may have been disturbed for the whole of its short run: one more visit tells.
void Search::give_another_chance() {
    Field field = leaders(runners_.size());
    if (field.empty() || !fits(field)) return;  // conversions anew would take longest
    const double best = field.front()->judged_us();
    std::erase_if(field, [&](const Runner* r) {
        // A GPU's speed does not change, but what was given up after a look or two may have met
        // somebody else's work.
        const bool seen = options_.timer && r->record.time->samples.size() > effort_.few_samples;
        return seen || r->judged_us() <= effort_.again_factor * best ||
               (r->prior && r->prior->time);
    });
    const double start = options_.clock();
    for (Runner* r : field) {
        const double spent = options_.clock() - start;
        if (over(effort_.search_share) || spent > effort_.chances_us) break;
        if (effort_.visit * r->judged_us() > effort_.chances_us - spent) continue;
        guard(*r, "timed again", [&] {
            Timing timing;
            const Storage& converted = *convert(*r).storage;
            measure_more([&] { r->contender.run(converted); }, measure_options(*r, true),
                         effort_.visit - 1, timing);
            if (timing.statistics().min >= r->record.time->min) return;
            record_time(*r, timing);
            learn(*r);
        });
    }
}

/// A short run sees a moment of a machine whose speed changes by tens of percent, for milliseconds
/// or for seconds. Here all that may be among the best, and the anchors, take turns, so that each
/// sees the same moments; where these are enough they decide, since a final of the few best alone
/// would see others, and its times could not be held against those of the rest.
void Search::look_again() {
    // Flushing caches takes hundreds of times as long as most calls.
    if (options_.cache == Cache::cold) return;
    give_another_chance();
    if (options_.timer) return;  // short runs of a GPU repeat themselves within a percent or two
    Field field = anchors();
    for (Runner* r : close_to_best(runners_.size(), effort_.again_factor))
        if (std::find(field.begin(), field.end(), r) == field.end()) field.push_back(r);
    const auto known = [](const Runner* r) {
        return r->prior && r->prior->status == db::Status::ok;
    };
    if (std::all_of(field.begin(), field.end(), known)) return;
    const auto rounds_of = [&](const Field& f) {
        double visit_us = 0, slow = 1;
        for (const Runner* r : f) {
            const double turn = settles(*r) ? effort_.settling_turn : 1;
            visit_us += turn * effort_.visit * std::max(effort_.batch_us, r->judged_us());
            slow = std::max(slow, turn);
        }
        return std::min(static_cast<int>(slow * effort_.again_us / visit_us), effort_.again_rounds);
    };
    // A call of many milliseconds has seen several moments by itself.
    while (field.size() > effort_.finalists && (!fits(field) || rounds_of(field) < 2))
        field.pop_back();
    if (field.size() <= effort_.finalists) return;
    const int rounds = rounds_of(field);
    start_race(field);
    int round = 0;
    for (; round < rounds && !over(effort_.search_share); ++round) {
        report("second look", static_cast<double>(round) / rounds, round, rounds);
        if (!race(field, round, effort_.visit - 1)) break;
    }
    keep_rounds(field, round, effort_.visit - 1);
    if (round == 0 || field.empty()) return;
    const int calm = drop_disturbed_rounds(field, effort_.visit - 1);
    if (calm < effort_.least_rounds) {
        // So few moments tell no more than the short run did: whoever was faster then still counts.
        std::erase_if(field, [](const Runner* r) {
            return r->timing.statistics().min >= r->record.time->min;
        });
        settle(field, "second look");
        return;
    }
    settle(field, "second look");
    for (Runner* r : field) r->looked_again = true;
    if (disturbed(field)) return;
    if (stopped()) end_early();
    std::stable_sort(field.begin(), field.end(), [](const Runner* a, const Runner* b) {
        return a->judged_us() < b->judged_us();
    });
    field.resize(std::min(field.size(), effort_.finalists));
    final_ = std::move(field);
    invite_anchors();
}

/// Whether an anchor's time, which others are held against, is that of disturbances.
bool Search::disturbed(const Field& field) {
    return std::any_of(field.begin(), field.end(), [](const Runner* r) {
        return r->anchor && r->record.time->median > kDisturbed * r->record.time->min;
    });
}

/// Another program on the machine, or below a virtual one, makes calls of microseconds last
/// milliseconds, for some rounds and for everybody, or for all that wait for more than one thread.
/// Those rounds say nothing of the kernels.
/// Returns how many are left.
int Search::drop_disturbed_rounds(const Field& field, int samples) {
    constexpr std::size_t kLeast = 3;
    const auto each = static_cast<std::size_t>(samples);
    const std::size_t rounds = field.front()->timing.samples_us.size() / each;
    std::vector<std::size_t> kept;
    for (std::size_t round = 0; round < rounds; ++round) {
        std::vector<double> of_one, of_all;
        for (const Runner* r : field) {
            const std::vector<double>& all = r->timing.samples_us;
            const auto first = all.begin() + static_cast<std::ptrdiff_t>(round * each);
            (models::param_or(r->contender.variant.params, "w", kAll) == 1 ? of_one : of_all)
                .push_back(*std::min_element(first, first + samples) /
                           *std::min_element(all.begin(), all.end()));
        }
        if (is_calm(std::move(of_one), std::move(of_all))) kept.push_back(round);
    }
    if (kept.size() == rounds || kept.size() < kLeast) return static_cast<int>(rounds);
    for (Runner* r : field) {
        std::vector<double> calm;
        for (const std::size_t round : kept)
            for (std::size_t i = 0; i < each; ++i)
                calm.push_back(r->timing.samples_us[round * each + i]);
        r->timing.samples_us = std::move(calm);
    }
    return static_cast<int>(kept.size());
}

}  // namespace sptune::tuner
