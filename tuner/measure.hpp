// Taking times of a repeatable call. Knows nothing of matrices.
#pragma once

#include "tuner/statistics.hpp"

#include <atomic>
#include <functional>
#include <limits>
#include <vector>

namespace sptune::tuner {

class CoreWatch;

/// warm: calls back to back, as in a solver. cold: the caches are flushed before every call.
enum class Cache { warm, cold };

/// Microseconds since some fixed moment; never goes back.
using Clock = double (*)();
double steady_us();

/// Times calls on a device whose work is not over when the call returns.
class Timer {
  public:
    virtual ~Timer() = default;
    /// Microseconds that one of `calls` calls takes on the device, back to back; with `cold`, each
    /// after the caches were flushed.
    virtual double per_call(const std::function<void()>& call, int calls, bool cold) = 0;
    /// Of the last of these calls, where `cold` was false and a program that makes them waits for
    /// their launches.
    struct OnDevice {
        double us = 0;     ///< what it took where it did not; 0: not known
        int launches = 0;  ///< that it is made of
    };
    virtual OnDevice on_device() const { return {}; }
    /// Tells that the next call is not the one before, whatever its address says, and is to find
    /// nothing in the device's cache.
    virtual void forget() {}
    /// How many samples it has taken again because the device had slowed down.
    virtual int repeated() const { return 0; }
};

struct MeasureOptions {
    Cache cache = Cache::warm;
    int warm_up = 3;  ///< calls discarded first
    /// Instead of these as many as it takes to settle, so many at most (see settling.hpp). 0:
    /// warm_up.
    int settling_calls = 0;
    double noise = 0.01;        ///< wanted Statistics::noise()
    double min_batch_us = 100;  ///< calls are batched (warm only) until a sample lasts this long
    int min_samples = 5;
    int max_samples = 200;
    /// Stop after this much measuring time, warm-up included; one sample is taken all the same.
    double budget_us = 100'000;
    /// Give up after min(3, min_samples) samples when even the fastest is `give_up_factor` times
    /// slower than this, or after one that is 10 times as far behind, as the warm-up was; 0: never.
    double give_up_us = 0;
    double give_up_factor = 1.5;
    const std::atomic<bool>* stop = nullptr;  ///< looked at between calls; may be null
    /// Of the clock: measure() begins no long call later but the first.
    double deadline_us = std::numeric_limits<double>::infinity();
    Clock clock = steady_us;
    Timer* timer = nullptr;      ///< takes the times instead of the clock; may be null
    CoreWatch* cores = nullptr;  ///< says which batches are to be timed again; may be null
};

struct Timing {
    std::vector<double> samples_us;  ///< microseconds per call, means of batches, in order
    int calls_per_sample = 0;        ///< 0: not calibrated yet
    bool gave_up = false;
    Timer::OnDevice on_device;  ///< the least

    Statistics statistics() const { return summarize(samples_us); }
};

/// Times `call` until the median is known to `noise`, or max_samples, the budget or `stop` ends it.
Timing measure(const std::function<void()>& call, const MeasureOptions& options);

/// `samples` more, appended to `timing`, after one discarded call, or as many as it takes to
/// settle: used to take turns between calls that evict each other's data. Calibrates the batch size
/// where `timing` has none.
void measure_more(const std::function<void()>& call, const MeasureOptions& options, int samples,
                  Timing& timing);

/// Evicts all caches by reading a buffer twice the size of the last-level caches, on all threads.
void flush_caches();

}  // namespace sptune::tuner
