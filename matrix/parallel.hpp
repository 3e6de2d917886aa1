// What OpenMP loops of the house share.
#pragma once

#include <omp.h>

#include <exception>
#include <mutex>

namespace sptune {

/// 0 or less asks for all that OpenMP offers.
inline int thread_count(int asked) { return asked > 0 ? asked : omp_get_max_threads(); }

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
