// Taking times of a repeatable call. Knows nothing of matrices.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace sptune::tuner {

enum class Cache { warm, cold };

struct MeasureOptions {
    Cache cache = Cache::warm;
    int warm_up = 3;               ///< calls discarded first
    double noise = 0.01;           ///< wanted half width of the median's confidence interval / median
    double min_batch_us = 100;     ///< calls are batched (warm only) until a sample lasts this long
    int min_samples = 5;
    int max_samples = 200;
    double budget_us = 100'000;    ///< stop after this much measuring time, warm-up included
    /// Give up after min(3, min_samples) samples when even the fastest is this many times slower
    /// than `give_up_us`; 0: never.
    double give_up_us = 0;
    double give_up_factor = 1.5;
};

struct Statistics {
    double median = 0, mad = 0, min = 0;
    double ci_low = 0, ci_high = 0;  ///< ~95 % confidence interval of the median (order statistics)
    int count = 0;
};
Statistics summarize(const std::vector<double>& samples);

struct Timing {
    std::vector<double> samples_us;
    int calls_per_sample = 1;
    Statistics statistics;
    bool gave_up = false;
};

/// Times `call` on the host clock.
Timing measure(const std::function<void()>& call, const MeasureOptions& options);

/// A few more samples of an already warm call, appended to `timing` (used to interleave).
void measure_more(const std::function<void()>& call, const MeasureOptions& options, int samples,
                  Timing& timing);

/// Evicts the last-level cache by streaming through a buffer several times its size.
void flush_caches();

}  // namespace sptune::tuner
