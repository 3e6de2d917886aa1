// The full measurement of every candidate for one matrix on one device.
#pragma once

#include "db/entry.hpp"
#include "kernels/spmv/kernel.hpp"
#include "tuner/measure.hpp"

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace sptune::tuner {

class Journal;

/// Told now and then how far a sweep is.
struct Progress {
    std::string stage;  ///< "short run", "halving 2", "final"
    int done = 0;
    int total = 0;
    double best_us = 0;  ///< 0: nothing measured yet
    std::string best_id;
    double eta_s = -1;  ///< of this stage; negative: not known yet
};

struct SweepOptions {
    Cache cache = Cache::warm;
    std::string variants = "*";  ///< glob; the baseline is always measured
    /// Id of one more candidate that is measured whatever happens and takes part in the final, so
    /// that its time can be held against the winner's. Ignored where there is no such candidate.
    std::string guest;
    /// Ids of those that are measured first of all but the baseline, the guest and the vendor's, in
    /// this order: what is expected to be fast, so that a budget too short for all is spent well.
    std::vector<std::string> likely;
    int threads = 0;      ///< 0: all
    double budget_s = 0;  ///< 0: none
    std::uint64_t seed = 1;
    /// Layouts beyond these are illegal; storage_bytes left alone means half of the free memory, or
    /// a third where all values are the same.
    Limits limits;
    std::function<void(const Progress&)> progress;  ///< at most ten times a second; may be empty
    const std::atomic<bool>* stop = nullptr;        ///< set by Ctrl-C; ends the sweep cleanly
    const db::Entry* resume = nullptr;  ///< times with an unchanged kernel hash are taken from here
    Journal* journal = nullptr;         ///< tuner/journal.hpp; may be null
    Clock clock = steady_us;
    Timer* timer = nullptr;      ///< set by sweep_spmv for devices that need one
    CoreWatch* cores = nullptr;  ///< of a CPU; set unless the clock is another than usual
};

enum class Ended { complete, budget, interrupted };

struct SweepResult {
    db::Entry entry;
    Ended ended = Ended::complete;
    int repeated = 0;         ///< samples taken again: the GPU's clock had dropped, a core was busy
    bool cores_busy = false;  ///< and remained so for long
    std::uint64_t used_cols = 0;  ///< columns with an entry: what every kernel has to read of x
};

/// Measures and verifies every kernel of the registry for `backend`. Stores nothing, prints
/// nothing. Where all values of `a` are the same, kernels of a CPU that know how are timed without
/// them (Provenance::one_value); others get varied values, and all are verified with such.
/// `a` lies in host memory whatever the backend; for a GPU it is copied there first. The
/// caller names the matrix and fills in the provenance beyond seed, budget and time.
/// The baseline is measured whatever the budget, so that a stopped sweep is no worse than untuned.
/// Throws DeviceError for a backend that is not there, OutOfMemory when not even x and y fit,
/// DeviceFailure when a candidate has cost this process the device.
template <class T, class P>
SweepResult sweep_spmv(CsrView<T, P> a, const Features& features, Backend backend,
                       const SweepOptions& options);

/// The device that sweep_spmv would measure on; see cpu_device() and cuda_device(). Only the former
/// heeds `stop`.
const db::Device& device_of(Backend backend, int threads, const std::atomic<bool>* stop = nullptr);

/// The same over any CPU kernels, on a device whose bandwidth is known. `baseline` is an id among
/// them.
template <class T, class P>
SweepResult sweep_kernels(CsrView<T, P> a, const Features& features,
                          const std::vector<SpmvKernel<T, P>>& kernels, const std::string& baseline,
                          const db::Device& device, const SweepOptions& options);

}  // namespace sptune::tuner
