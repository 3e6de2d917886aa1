// The full measurement of every candidate for one matrix on one device.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "db/entry.hpp"
#include "kernels/spmv/kernel.hpp"
#include "tuner/measure.hpp"

namespace sptune::tuner {

/// Told now and then how far a sweep is.
struct Progress {
    std::string stage;  ///< "short run", "halving 2 of 3", "final"
    int done = 0;
    int total = 0;
    double best_us = 0;
    std::string best_id;
    double eta_s = 0;
};

struct SweepOptions {
    Cache cache = Cache::warm;
    std::string variants = "*";  ///< glob; the baseline is always measured
    int threads = 0;             ///< 0: all
    double budget_s = 0;         ///< 0: none
    std::uint64_t seed = 1;
    Limits limits;
    std::function<void(const Progress&)> progress;       ///< may be empty
    const std::atomic<bool>* stop = nullptr;             ///< set by Ctrl-C; ends the sweep cleanly
    const db::Entry* resume = nullptr;  ///< times with an unchanged kernel hash are taken from here
};

enum class Ended { complete, budget, interrupted };

struct SweepResult {
    db::Entry entry;
    Ended ended = Ended::complete;
};

/// Measures and verifies on the CPU (later: on any backend). Stores nothing, prints nothing.
template <class T, class P>
SweepResult sweep_spmv(CsrView<T, P> a, const Features& features, Backend backend,
                       const SweepOptions& options);

}  // namespace sptune::tuner
