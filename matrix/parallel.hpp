// What OpenMP loops of the house share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <mutex>

#include <omp.h>

namespace sptune {

/// 0 or less asks for all that OpenMP offers, but no more than `work` (entries, or lines of text)
/// keeps busy: waking a thread costs more than some thousands of entries.
inline int thread_count(int asked, std::uint64_t work = ~std::uint64_t{0}) {
    constexpr std::uint64_t kWorkPerThread = 1 << 14;
    if (asked > 0) return asked;
    const auto offered = static_cast<std::uint64_t>(omp_get_max_threads());
    return static_cast<int>(std::min(offered, work / kWorkPerThread + 1));
}

/// Exceptions must not leave an OpenMP region: run the body through run(), call rethrow() behind
/// the region.
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
