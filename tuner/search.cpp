#include "tuner/search.hpp"

#include "db/knowledge.hpp"
#include "kernels/spgemm/kernel.hpp"
#include "matrix/error.hpp"
#include "tuner/decide.hpp"
#include "tuner/settling.hpp"

#include <algorithm>
#include <limits>
#include <new>

namespace sptune::tuner {
namespace {

db::Candidate describe(const Variant& v) {
    db::Candidate c;
    c.id = v.id();
    c.op = to_string(v.op);
    c.backend = to_string(v.backend);
    c.format = v.format;
    c.algorithm = v.algorithm;
    c.params = v.params;
    c.vendor = v.vendor;
    c.deterministic = v.deterministic;
    c.kernel_hash = v.kernel_hash;
    c.reason = "the sweep was stopped before its turn";
    return c;
}

}  // namespace

Search::Search(std::vector<Contender> contenders, Scene scene, const SweepOptions& options)
    : scene_(std::move(scene)),
      options_(options),
      shelf_(options.limits.storage_bytes / 2, options.clock),
      start_us_(options.clock()) {
    runners_.reserve(contenders.size());
    // A vendor's kernel has no hash: it is as old as the others that were measured with it.
    const auto is_current = [&](const Contender& contender) {
        const db::Candidate* old = db::find(*options.resume, contender.variant.id());
        return old && !old->kernel_hash.empty() &&
               old->kernel_hash == contender.variant.kernel_hash;
    };
    // What was given up after a call or two, while a core did something else.
    const auto may_have_waited = [&](const db::Candidate& old) {
        return db::were_cores_busy(*options.resume) && old.time && old.time->samples.size() < 2;
    };
    // Of a GPU's short call before launches counted.
    const auto leaves_out_launches = [&](const db::Candidate& old) {
        constexpr double kShortUs = 100;
        return options.resume->device.backend == to_string(Backend::cuda) &&
               options.resume->op == Op::spmv && options.cache == Cache::warm &&
               !options.resume->device.host_launch_us && old.time && old.time->median < kShortUs;
    };
    const bool some_current =
        options.resume && std::any_of(contenders.begin(), contenders.end(), is_current);
    for (Contender& contender : contenders) {
        Runner runner;
        runner.record = describe(contender.variant);
        runner.anchor = contender.variant.vendor || runner.record.id == scene_.baseline ||
                        runner.record.id == options.guest;
        runner.turn = static_cast<std::size_t>(std::ranges::find(options.likely, runner.record.id) -
                                               options.likely.begin());
        if (options.resume) {
            const db::Candidate* old = db::find(*options.resume, runner.record.id);
            if (old && old->kernel_hash == runner.record.kernel_hash &&
                (some_current || !runner.record.kernel_hash.empty()) && !may_have_waited(*old) &&
                !leaves_out_launches(*old))
                runner.prior = old;
        }
        if (options.journal) runner.known = options.journal->recall(runner.record.id);
        if (runner.record.id == scene_.baseline) baseline_layout_ = contender.variant.layout;
        runner.contender = std::move(contender);
        runners_.push_back(std::move(runner));
    }
}

std::vector<db::Candidate> Search::candidates() const {
    std::vector<db::Candidate> all;
    for (const Runner& r : runners_) all.push_back(r.record);
    return all;
}

Search::Outcome Search::run() {
    // Looking at all layouts may take longer than a short budget allows.
    for (const bool first : {true, false}) {
        inspect(first);
        short_run(first);
    }
    look_again();
    if (final_.empty()) {
        halve();
        final();
    }
    Outcome outcome{.candidates = {}, .winner = {}, .ended = ended_};
    std::vector<const db::Candidate*> measured;
    // Times of different stages are not comparable to the last percent, so the final decides alone
    // where it took place.
    for (const Runner* r : final_.empty() ? leaders(runners_.size()) : final_)
        measured.push_back(&r->record);
    if (!measured.empty()) outcome.winner = choose(measured).id;
    for (Runner& r : runners_) outcome.candidates.push_back(std::move(r.record));
    return outcome;
}

const Shelf::Item& Search::convert(Runner& r) {
    return shelf_.get(r.layout(), r.footprint.storage_bytes, r.contender.convert);
}

void Search::enter(const Runner& r, const char* phase) {
    if (options_.journal) options_.journal->begin(r.record.id, phase);
}

/// Runs `work`; what it throws costs this candidate only, unless it leaves no device to go on with.
bool Search::guard(Runner& r, const char* phase, const std::function<void()>& work) {
    bool fine = false;
    try {
        enter(r, phase);
        work();
        fine = true;
    } catch (const OutOfMemory& e) {
        r.record.status = db::Status::out_of_memory;
        r.record.reason = e.what();
    } catch (const std::bad_alloc&) {
        r.record.status = db::Status::out_of_memory;
        r.record.reason = "the system refused an allocation";
    } catch (const SizeOverflow& e) {  // found out late: the kernel itself is fine
        r.record.status = db::Status::illegal;
        r.record.reason = e.what();
    } catch (const std::exception& e) {
        const auto* device = dynamic_cast<const DeviceFailure*>(&e);
        if (device && device->lost) throw;
        r.record.status = db::Status::crashed;
        r.record.reason = e.what();
    }
    if (options_.journal) options_.journal->end();
    return fine;
}

void Search::record_time(Runner& r, const Timing& timing) {
    const Statistics s = timing.statistics();
    r.record.status = db::Status::ok;
    r.record.time = db::TimeUs{s.median, s.mad, s.min, timing.samples_us};
    r.record.device_us.reset(), r.record.launches.reset();
    if (timing.on_device.us > 0) {
        r.record.device_us = timing.on_device.us;
        if (timing.on_device.launches > 0) r.record.launches = timing.on_device.launches;
    }
    r.record.gflops = s.median > 0 ? scene_.flops / s.median / 1e3 : 0;
    r.record.gbs = s.median > 0 ? static_cast<double>(r.record.bytes) / s.median / 1e3 : 0;
}

/// The `most` fastest so far.
Search::Field Search::leaders(std::size_t most) {
    Field field;
    for (Runner& r : runners_)
        if (r.ok()) field.push_back(&r);
    std::stable_sort(field.begin(), field.end(),
                     [](const Runner* a, const Runner* b) { return a->rank() < b->rank(); });
    field.resize(std::min(field.size(), most));
    return field;
}

void Search::trim(const Field& field) {
    std::vector<std::string> layouts;
    for (const Runner* r : field) layouts.push_back(r->layout());
    shelf_.trim(layouts);
}

/// Whether it gets faster for more than a call or two before it is as fast as in a solver.
bool Search::settles(const Runner& r) const {
    return options_.cache == Cache::warm && !options_.timer && r.contender.variant.op == Op::spmv &&
           tuner::settles(static_cast<double>(r.record.bytes),
                          static_cast<double>(scene_.device->llc_bytes));
}

/// For the short run; verifying has already made two of the three warm-up calls.
MeasureOptions Search::measure_options(const Runner& r, bool precise) const {
    MeasureOptions o;
    o.cache = options_.cache;
    o.stop = options_.stop;
    if (options_.budget_s > 0) o.deadline_us = start_us_ + 1e6 * options_.budget_s;
    o.clock = options_.clock;
    o.timer = options_.timer;
    o.cores = options_.cores;
    o.warm_up = precise ? 3 : 1;
    if (settles(r)) o.settling_calls = effort_.settling_calls;
    o.noise = precise ? 0.01 : 0.03;
    o.min_batch_us = 30;
    o.min_samples = precise ? 5 : 3;
    o.max_samples = precise ? 100 : 30;
    o.budget_us = (precise ? 3 : 1) * effort_.short_us;
    if (o.cache == Cache::cold) {  // flushing takes longer than most calls and is not to count
        o.budget_us = std::numeric_limits<double>::infinity();
        o.max_samples = precise ? 20 : 5;
    }
    if (!precise && best_) o.give_up_us = best_->record.time->median;
    return o;
}

bool Search::stopped() const {
    return options_.stop && options_.stop->load(std::memory_order_relaxed);
}

bool Search::over(double share) const {
    return stopped() || (options_.budget_s > 0 &&
                         options_.clock() - start_us_ >= share * options_.budget_s * 1e6);
}

void Search::end_early() {
    ended_ = stopped() ? Ended::interrupted : Ended::budget;
}

void Search::report(const std::string& stage, double share, int done, int total) {
    constexpr double kEveryUs = 100'000;
    const double now = options_.clock();
    if (!options_.progress || now - reported_us_ < kEveryUs) return;
    reported_us_ = now;
    Progress p{
        .stage = stage, .done = done, .total = total, .best_us = 0, .best_id = {}, .eta_s = -1};
    if (best_) p.best_us = best_->record.time->median, p.best_id = best_->record.id;
    if (share > 0) p.eta_s = (now - stage_start_us_) * (1 - share) / share / 1e6;
    options_.progress(p);
}

}  // namespace sptune::tuner
