#include "tuner/measure.hpp"

#include "matrix/buffer.hpp"
#include "tuner/core_watch.hpp"
#include "tuner/host.hpp"
#include "tuner/settling.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

namespace sptune::tuner {

double steady_us() {
    return std::chrono::duration<double, std::micro>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

void flush_caches() {
    // Twice the size: replacement is not strictly least-recently-used anywhere. Read only: lines
    // left dirty would be written back while the call is timed.
    static const Buffer<std::uint64_t> lines(2 * host().llc_bytes / sizeof(std::uint64_t), 1);
    static std::atomic<std::uint64_t> sink;
    std::uint64_t sum = 0;
    // By all threads: every core has caches of its own to flush.
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (std::size_t i = 0; i < lines.size(); i += 8) sum += lines[i];
    sink.store(sum, std::memory_order_relaxed);
}

namespace {

double time_batch(const std::function<void()>& call, const MeasureOptions& o, int calls) {
    if (o.timer) return o.timer->per_call(call, calls, o.cache == Cache::cold) * calls;
    double us = 0;
    do {
        if (o.cache == Cache::cold) flush_caches();
        const double start = o.clock();
        for (int i = 0; i < calls; ++i) call();
        us = o.clock() - start;
    } while (o.cores && o.cores->spoiled(us));
    return us;
}

/// Calls per sample, so that a sample lasts min_batch_us; `once_us` is what one warm call took. A
/// hiccup of the machine must not pass for a long call: two batches have to agree.
int calibrate(const std::function<void()>& call, const MeasureOptions& o, double once_us) {
    constexpr int kMost = 1 << 20;
    if (o.cache == Cache::cold || once_us >= 10 * o.min_batch_us) return 1;
    // A device is busy for less long than a program that waits for launches.
    const auto busy_us = [&](int batch) {
        const double us = time_batch(call, o, batch);
        const double on_device_us = o.timer ? o.timer->on_device().us : 0;
        return on_device_us > 0 ? on_device_us * batch : us;
    };
    int calls = 1;
    while (calls < kMost) {
        const double us = std::min(busy_us(calls), busy_us(calls));
        if (us >= o.min_batch_us) break;
        const double wanted = us > 0 ? 1.1 * calls * o.min_batch_us / us : kMost;
        calls = std::min(static_cast<int>(std::clamp(wanted, 2.0 * calls, 50.0 * calls)), kMost);
    }
    return calls;
}

bool is_stopped(const MeasureOptions& o) {
    return o.stop && o.stop->load(std::memory_order_relaxed);
}

bool is_over(const MeasureOptions& o) {
    return is_stopped(o) || o.clock() >= o.deadline_us;
}

/// Calls until they have settled. Returns what the fastest took.
double settle(const std::function<void()>& call, const MeasureOptions& o) {
    Settling settling(o.settling_calls);
    do {
        settling.called(time_batch(call, o, 1));
    } while (!settling.over() && !is_over(o));
    return settling.least_us();
}

void sample(const std::function<void()>& call, const MeasureOptions& o, Timing& timing) {
    timing.samples_us.push_back(time_batch(call, o, timing.calls_per_sample) /
                                timing.calls_per_sample);
    if (!o.timer) return;
    const Timer::OnDevice found = o.timer->on_device();
    if (found.us > 0 && !(timing.on_device.us > 0 && timing.on_device.us <= found.us))
        timing.on_device = found;
}

}  // namespace

Timing measure(const std::function<void()>& call, const MeasureOptions& o) {
    if (o.timer) o.timer->forget();
    const double start = o.clock();
    // So far behind that no noise explains it: one sample has to do, where the warm-up agrees.
    // (What disturbs one of them may last a millisecond, hundreds of calls.)
    constexpr double kHopeless = 10;
    const auto hopeless = [&](double us) {
        return o.give_up_us > 0 && us > kHopeless * o.give_up_factor * o.give_up_us;
    };
    double once_us = o.warm_up > 0 ? std::numeric_limits<double>::infinity() : 0;
    if (o.settling_calls > 0) once_us = settle(call, o);
    for (int i = 0; o.settling_calls == 0 && i < o.warm_up; ++i) {
        if (i > 0 && (hopeless(once_us) || is_over(o))) break;
        once_us = std::min(once_us, time_batch(call, o, 1));
    }
    Timing timing;
    // Of short calls a batch takes no time, and one alone says little.
    constexpr double kLongUs = 1e4;
    if (is_over(o) && once_us >= kLongUs) {
        timing.samples_us.push_back(once_us);
        timing.calls_per_sample = 1;
        timing.gave_up = true;
        return timing;
    }
    timing.calls_per_sample = calibrate(call, o, once_us);
    timing.samples_us.reserve(static_cast<std::size_t>(std::max(o.max_samples, 1)));
    for (int count = 1;; ++count) {
        sample(call, o, timing);
        if (count >= o.max_samples || o.clock() - start >= o.budget_us) break;
        if (is_over(o)) break;
        const Statistics s = timing.statistics();
        if (hopeless(o.warm_up > 0 ? std::min(s.min, once_us) : s.min) ||
            (o.give_up_us > 0 && count >= std::min(3, o.min_samples) &&
             s.min > o.give_up_factor * o.give_up_us)) {
            timing.gave_up = true;
            break;
        }
        if (count >= o.min_samples && s.noise() <= o.noise) break;
    }
    return timing;
}

void measure_more(const std::function<void()>& call, const MeasureOptions& o, int samples,
                  Timing& timing) {
    if (o.timer) o.timer->forget();
    const double once_us = o.settling_calls > 0 ? settle(call, o) : time_batch(call, o, 1);
    if (timing.calls_per_sample == 0) timing.calls_per_sample = calibrate(call, o, once_us);
    for (int i = 0; i < samples && !is_stopped(o); ++i) sample(call, o, timing);
}

}  // namespace sptune::tuner
