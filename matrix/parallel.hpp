// Threads for reading, writing and converting.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include <omp.h>

namespace sptune {

/// 0 or less asks for all that OpenMP offers, but no more than `work` (entries, or lines of text)
/// keeps busy: waking a thread costs more than some thousands of entries.
inline int thread_count(int asked, std::uint64_t work = ~std::uint64_t{0}) {
    constexpr std::uint64_t kWorkPerThread = 1 << 14;
    if (asked > 0) return asked;
    const auto offered =
        static_cast<std::uint64_t>(std::min(omp_get_max_threads(), omp_get_thread_limit()));
    return static_cast<int>(std::min(offered, work / kWorkPerThread + 1));
}

/// For OpenMP regions one after the other: all that were asked for, or where none were and there is
/// little work, one alone. A region waits for every thread to get a processor, which takes
/// milliseconds where others use them. Nothing in between: OpenMP ends the threads that a smaller
/// team leaves over, and the next one has to start them again.
inline int team_size(int asked, std::uint64_t work) {
    constexpr std::uint64_t kWorthATeam = 1 << 15;  // some 60 us of all that features look at
    return asked <= 0 && work < kWorthATeam ? 1 : thread_count(asked);
}

/// Calls body(thread, i) for each i in [0, count); every thread takes the next i that is free. The
/// first exception ends the loop and is thrown on. Plain threads instead of OpenMP: its threads
/// spin at the end of a region, which takes the processor from whoever they wait for. The two do
/// not mix: an idle OpenMP thread would spin beside the plain ones.
template <class Body>
void parallel_for(int threads, std::size_t count, Body body) {
    std::atomic<std::size_t> next{0};
    std::exception_ptr first;
    std::mutex mutex;
    const auto work = [&](int thread) noexcept {
        try {
            for (std::size_t i; (i = next++) < count;) body(thread, i);
        } catch (...) {
            next = count;
            const std::lock_guard lock(mutex);
            if (!first) first = std::current_exception();
        }
    };
    {
        std::vector<std::jthread> helpers;
        const auto wanted = std::min(static_cast<std::size_t>(threads), count);
        try {
            for (std::size_t t = 1; t < wanted; ++t)
                helpers.emplace_back(work, static_cast<int>(t));
        } catch (const std::system_error&) {
            // No more threads to be had; those there are do all the work.
        }
        work(0);
    }
    if (first) std::rethrow_exception(first);
}

/// Exceptions must not leave an OpenMP region either: run the body through run(), call rethrow()
/// behind the region.
class ExceptionCarrier {
  public:
    template <class Body>
    void run(Body&& body) noexcept {
        try {
            body();
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!first_) first_ = std::current_exception();
        }
    }
    void rethrow() {
        if (first_) std::rethrow_exception(first_);
    }

  private:
    std::mutex mutex_;
    std::exception_ptr first_;
};

}  // namespace sptune
