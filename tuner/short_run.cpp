// The beginning of a search: every candidate is converted, verified and timed once, unless what is
// known of it shows that it cannot win.
#include "matrix/number.hpp"
#include "models/launching.hpp"
#include "models/samples.hpp"
#include "tuner/bandwidth.hpp"
#include "tuner/core_watch.hpp"
#include "tuner/search.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include <fmt/format.h>

namespace sptune::tuner {

/// The baseline, the guest, the vendor's and what is likely to be fast.
bool Search::comes_first(const Runner& r) const {
    return r.anchor || r.turn < options_.likely.size();
}

/// Those that come first, or all others.
void Search::inspect(bool first) {
    std::map<std::string, Footprint> seen;
    const double most = options_.limits.storage_factor * static_cast<double>(scene_.csr_bytes);
    for (Runner& r : runners_) {
        if (comes_first(r) != first) continue;
        if (r.known && r.known->status != db::Status::ok) {
            take_known(r);
            continue;
        }
        // Of very many rows each takes seconds. What is not looked at is not reached, unless it
        // was.
        if (over(1) && !always_measured(r)) {
            if (r.prior && r.prior->status == db::Status::illegal) r.record = *r.prior;
            continue;
        }
        const auto same = seen.find(r.inspected_as());
        const bool fine = guard(r, "inspected", [&] {
            r.footprint = same != seen.end() ? same->second : r.contender.inspect();
        });
        if (!fine) continue;
        seen.emplace(r.inspected_as(), r.footprint);
        const std::uint64_t held = r.footprint.storage_bytes;
        std::string why = r.footprint.illegal;
        if (why.empty() && static_cast<double>(held) > most)
            why = fmt::format("would store {} bytes, more than {:g} times the {} bytes of CSR",
                              held, options_.limits.storage_factor, scene_.csr_bytes);
        if (why.empty() && held > options_.limits.storage_bytes)
            why = fmt::format("would store {} bytes, more than the {} bytes allowed", held,
                              options_.limits.storage_bytes);
        if (!why.empty() && r.record.id != scene_.baseline) {
            r.record.status = db::Status::illegal;
            r.record.reason = why;
        }
        r.known_bytes = r.footprint.moved_bytes;
        // An earlier sweep converted it before it was skipped: its true size is known.
        if (r.prior && r.prior->status == db::Status::bounded)
            r.known_bytes = std::max(
                r.known_bytes, r.prior->bytes - std::min(r.prior->bytes, scene_.vector_bytes));
    }
}

/// However little time there is: what all others are held against, and whom the sweep is about.
bool Search::always_measured(const Runner& r) const {
    return r.record.id == scene_.baseline || r.record.id == options_.guest;
}

/// Anchors first, then the likeliest to be fast; then layout by layout, those that move the least
/// bytes first. A fast one early lets the heavy ones be skipped.
Search::Field Search::short_run_order(bool first) {
    Field order;
    for (Runner& r : runners_)
        if (comes_first(r) == first && r.record.status == db::Status::not_reached)
            order.push_back(&r);
    std::stable_sort(order.begin(), order.end(), [&](const Runner* a, const Runner* b) {
        const auto rank = [&](const Runner* r) {
            return std::tuple(r->record.id != scene_.baseline, !r->anchor, r->turn,
                              r->footprint.moved_bytes);
        };
        return rank(a) != rank(b) ? rank(a) < rank(b) : a->layout() < b->layout();
    });
    return order;
}

void Search::short_run(bool first) {
    const Field order = short_run_order(first);
    const auto weight = [&](const Runner* r) {
        return static_cast<double>(r->footprint.moved_bytes + scene_.vector_bytes + (1u << 16));
    };
    const double total = std::accumulate(order.begin(), order.end(), 0.0,
                                         [&](double sum, auto* r) { return sum + weight(r); });
    double done = 0;
    stage_start_us_ = options_.clock();
    for (std::size_t i = 0; i < order.size(); ++i) {
        Runner& r = *order[i];
        report("short run", done / total, static_cast<int>(i), static_cast<int>(order.size()));
        if (r.known) {
            take_known(r);
        } else if (r.prior && (r.prior->status == db::Status::ok ||
                               r.prior->status == db::Status::incorrect)) {
            take_prior(r);  // costs nothing, so that no stop is too early for it
        } else if (stopped() || (over(effort_.search_share) && !always_measured(r))) {
            end_early();
            continue;
        } else {
            guard(r, "converted", [&] { evaluate(r); });
            if (options_.journal) options_.journal->settle(r.record);
        }
        done += weight(&r);
        if (i + 1 == order.size() || order[i + 1]->layout() != r.layout())
            trim(leaders(effort_.survivors));
    }
}

/// Short calls of another process waited for its launches.
void Search::count_launches_anew(db::Candidate& c) const {
    if (!c.device_us || !c.launches || !c.time || c.time->min <= 0) return;
    const double us = models::as_called_us(*c.device_us, *c.launches,
                                           models::early_launches(c.format, c.vendor, *c.launches),
                                           models::launching_of(*scene_.device));
    const double factor = us / c.time->min;
    for (double* part : {&c.time->median, &c.time->mad, &c.time->min}) *part *= factor;
    for (double& sample : c.time->samples) sample *= factor;
    c.gflops /= factor, c.gbs /= factor;
}

void Search::take_prior(Runner& r) {
    r.record = *r.prior;
    count_launches_anew(r.record);
    learn(r);
}

/// What this very sweep has found of it before its process died. What it is, it knows itself.
void Search::take_known(Runner& r) {
    const db::Candidate& known = *r.known;
    r.record.status = known.status;
    r.record.reason = known.reason;
    r.record.time = known.time;
    r.record.device_us = known.device_us;
    r.record.launches = known.launches;
    r.record.bytes = known.bytes;
    r.record.stored = known.stored;
    r.record.gflops = known.gflops;
    r.record.gbs = known.gbs;
    r.record.convert_us = known.convert_us;
    r.record.error = known.error;
    count_launches_anew(r.record);
    if (r.ok()) place(r);
}

/// Converts, verifies and times one candidate. All that it needs is in the runner and all that it
/// finds ends up in runner.record, so that another process can take it from there.
void Search::evaluate(Runner& r) {
    if (bounded(r, r.known_bytes) || like_a_hopeless_one(r)) return;
    const Shelf::Item& item = convert(r);
    const Storage& converted = *item.storage;
    // What shares the baseline's layout needs no conversion.
    const bool free = r.layout() == baseline_layout_;
    r.record.convert_us = free ? 0 : item.convert_us;
    r.record.stored = converted.stored();
    r.record.bytes = converted.bytes() + scene_.vector_bytes;
    if (bounded(r, converted.bytes())) return;

    enter(r, "verified");
    Verdict verdict;
    double began = 0;
    do {
        began = options_.clock();
        verdict = r.contender.verify(converted);
    } while (options_.cores && options_.cores->spoiled(options_.clock() - began));
    r.record.error = verdict.error;
    if (!verdict.correct) {
        r.record.status = db::Status::incorrect;
        r.record.reason = verdict.complaint;
        return;
    }
    verdict.call_us = without_waiting(r, converted, verdict.call_us);
    Timing timing{
        .samples_us = {verdict.call_us}, .calls_per_sample = 1, .gave_up = true, .on_device = {}};
    r.record.reason = "only its verifying calls were timed";
    if (!is_hopeless(r, verdict.call_us)) {
        enter(r, "timed");
        MeasureOptions o = measure_options(r, r.anchor);
        const int before = std::max(o.warm_up, o.settling_calls);
        o.budget_us = std::max(o.budget_us, (before + effort_.short_calls) * verdict.call_us);
        // With warm caches a verifying call is the slower one, unless somebody else has been at
        // work since.
        const int most_looks = o.cache == Cache::cold ? 1 : 3;
        for (int looks = 0; looks < most_looks; ++looks) {
            timing = measure([&] { r.contender.run(converted); }, o);
            const double device_us = timing.on_device.us;
            const double least_us = device_us > 0 ? device_us : timing.statistics().min;
            if (least_us <= 2 * verdict.call_us) break;
        }
        r.record.reason = "short run";
    }
    record_time(r, timing);
    place(r);
}

bool Search::is_hopeless(const Runner& r, double call_us) const {
    if (r.anchor || !best_) return false;
    const double factor = settles(r)                  ? effort_.hopeless_unsettled
                          : call_us < effort_.long_us ? effort_.hopeless
                                                      : effort_.hopeless_long;
    return call_us > factor * best_->record.time->median + effort_.hiccup_us;
}

/// What a call takes that took call_us, if that was only because of something else.
double Search::without_waiting(const Runner& r, const Storage& converted, double call_us) const {
    if (options_.timer || options_.cache == Cache::cold) return call_us;
    for (int n = 0; n < effort_.waited_calls && is_hopeless(r, call_us); ++n) {
        if (call_us < effort_.waited_least_us || call_us > effort_.waited_most_us) break;
        const double start = options_.clock();
        r.contender.run(converted);
        call_us = std::min(call_us, options_.clock() - start);
    }
    return call_us;
}

/// Where it stands among those before it.
void Search::place(Runner& r) {
    const double best = best_ ? best_->record.time->median : 0;
    learn(r);
    const double least = r.record.time->min;
    if (best > 0 && least > effort_.lost * best)
        lost_.emplace(models::name_without(r.contender.variant, "b"), &r);
    if (best > 0 && least > effort_.lost_by_far * best)
        lost_.emplace(models::name_without(r.contender.variant, "bs"), &r);
}

bool Search::like_a_hopeless_one(Runner& r) {
    if (r.anchor || !best_) return false;
    for (const char* params : {"b", "bs"}) {
        const auto found = lost_.find(models::name_without(r.contender.variant, params));
        if (found == lost_.end()) continue;
        const db::Candidate& other = found->second->record;
        r.record.status = db::Status::bounded;
        r.record.reason =
            fmt::format("{} took {:.0f} times as long as the best, {}", other.id,
                        other.time->median / best_->record.time->median, best_->record.id);
        return true;
    }
    return false;
}

/// What reading so many bytes takes at least, by the measured bandwidth.
double Search::least_us(std::uint64_t bytes) const {
    const auto reading = [&](double part, std::uint64_t level) {
        return part / bound_gbs(*scene_.device, level) / 1e3;
    };
    const auto all = static_cast<double>(bytes);
    // Nothing is in a cache when it has been flushed: the slowest level is the bound.
    if (options_.cache == Cache::cold) return reading(all, ~0ull);
    const std::uint64_t cache = scene_.device->llc_bytes;
    if (scene_.device->backend != "cuda" || bytes <= cache) return reading(all, bytes);
    // Kernels for a GPU keep a share of A in its cache; what measured the bandwidth did not.
    const std::uint64_t kept = cache / 10 * 6;
    return reading(all - static_cast<double>(kept), ~0ull) +
           reading(static_cast<double>(kept), kept);
}

/// Whether reading `matrix_bytes` of A alone takes longer than the best time so far.
bool Search::bounded(Runner& r, std::uint64_t matrix_bytes) {
    if (r.anchor || !best_) return false;
    const std::uint64_t bytes = matrix_bytes + scene_.least_bytes;
    const double us = least_us(bytes) / reach_;
    if (us <= best_->record.time->median) return false;
    r.record.status = db::Status::bounded;
    r.record.bytes = matrix_bytes + scene_.vector_bytes;
    r.record.reason =
        fmt::format("{} or more, against {}: has to read {} bytes at {:.1f} GB/s; best was {}",
                    duration_us(us), duration_us(best_->record.time->median), bytes,
                    static_cast<double>(bytes) / us / 1e3, best_->record.id);
    return true;
}

/// Keeps the best, and corrects the bound where a candidate has shown that it is too low (the
/// bandwidth may have been measured while the machine was busy).
void Search::learn(const Runner& r) {
    if (!r.ok() || !r.record.time) return;
    if (!best_ || r.record.time->median < best_->record.time->median) best_ = &r;
    const std::uint64_t bytes = r.known_bytes + scene_.least_bytes;
    if (r.record.time->min <= 0) return;
    reach_ = std::max(reach_, least_us(bytes) / r.record.time->min);
}

}  // namespace sptune::tuner
