// Medians of runs that are not part of a search: by the clock, and between events of the GPU.
#pragma once

#include "bench/median.hpp"
#include "matrix/cuda/check.hpp"

#include <chrono>
#include <functional>
#include <vector>

#include <cuda_runtime_api.h>

namespace sptune::bench {

using Run = std::function<void()>;

constexpr int kDiscarded = 3, kSamples = 7;
/// A run longer than this is not repeated.
constexpr double kLongMs = 400;

/// Milliseconds by the clock, median, the first three left out.
inline double wall_ms(const Run& run) {
    std::vector<double> samples;
    for (int i = 0; i < kDiscarded + kSamples; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        run();
        const std::chrono::duration<double, std::milli> spent =
            std::chrono::steady_clock::now() - begin;
        if (spent.count() > kLongMs) return spent.count();
        if (i >= kDiscarded) samples.push_back(spent.count());
    }
    return median(samples);
}

class Events {
  public:
    Events() {
        SPTUNE_CUDA(cudaEventCreate(&begin_));
        SPTUNE_CUDA(cudaEventCreate(&end_));
    }
    ~Events() {
        cudaEventDestroy(begin_);
        cudaEventDestroy(end_);
    }
    Events(const Events&) = delete;
    Events& operator=(const Events&) = delete;

    double ms(const Run& run) {
        SPTUNE_CUDA(cudaEventRecord(begin_, nullptr));
        run();
        SPTUNE_CUDA(cudaEventRecord(end_, nullptr));
        SPTUNE_CUDA(cudaEventSynchronize(end_));
        float spent = 0;
        SPTUNE_CUDA(cudaEventElapsedTime(&spent, begin_, end_));
        return spent;
    }

  private:
    cudaEvent_t begin_{}, end_{};
};

/// Milliseconds between two events of the default stream; `before` is not timed.
inline double device_ms(const Run& before, const Run& run) {
    Events events;
    std::vector<double> samples;
    for (int i = 0; i < kDiscarded + kSamples; ++i) {
        before();
        const double ms = events.ms(run);
        if (ms > kLongMs && i > 0) return ms;
        if (i >= kDiscarded) samples.push_back(ms);
    }
    return median(samples);
}

}  // namespace sptune::bench
