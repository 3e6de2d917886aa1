// What choosing takes a program that chooses for more than one matrix.
#pragma once

#include "cli/stopwatch.hpp"
#include "tuner/select.hpp"

#include <algorithm>
#include <vector>

namespace sptune::cli {

struct SteadyChoice {
    tuner::Selection selection;  ///< its select_us is the median of those after the first
    double first_us = 0;         ///< with what is done once: starting threads, listing kernels …
};

/// Chooses up to six times for a matrix that stays where it is, on a GPU in one copy of it; fewer
/// times where that takes more than some tenth of a second.
template <class T, class P>
SteadyChoice steady_choice(CsrView<T, P> host, Backend backend,
                           const tuner::SelectOptions& options) {
    constexpr std::size_t kRepeats = 5;
    constexpr double kMostSeconds = 0.1;
    const auto matrix = tuner::choose_from_host(host, backend, options.threads);
    const auto& kernels = tuner::KernelIndex<T, P>::of(backend);
    const auto choose = [&] { return tuner::select_spmv(matrix, kernels, options); };
    SteadyChoice steady{choose(), 0};
    steady.first_us = steady.selection.select_us;
    if (steady.first_us > kMostSeconds * 1e6) return steady;
    std::vector<double> times;
    const Stopwatch watch;
    while (times.size() < kRepeats && watch.seconds() < kMostSeconds)
        times.push_back(choose().select_us);
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                     times.end());
    steady.selection.select_us = times[times.size() / 2];
    return steady;
}

}  // namespace sptune::cli
