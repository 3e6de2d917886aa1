// Splitting work over OpenMP threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include <omp.h>

namespace sptune {

/// 0 means all threads that OpenMP offers. Never more than $OMP_THREAD_LIMIT, with which a region
/// would run on fewer than it is said to.
inline int resolve_threads(int threads) {
    return std::min(threads > 0 ? threads : omp_get_max_threads(), omp_get_thread_limit());
}

/// While it lives "all threads" of the calling thread are `threads`; 0 changes nothing.
class ThreadLimit {
  public:
    explicit ThreadLimit(int threads) : before_(omp_get_max_threads()) {
        if (threads > 0) omp_set_num_threads(threads);
    }
    ~ThreadLimit() { omp_set_num_threads(before_); }
    ThreadLimit(const ThreadLimit&) = delete;
    ThreadLimit& operator=(const ThreadLimit&) = delete;

  private:
    int before_;
};

/// First item of part `part` when `items` are cut into `parts` nearly equal ranges.
constexpr std::int64_t part_begin(std::int64_t items, int parts, int part) {
    const std::int64_t size = items / parts, rest = items % parts;
    return size * part + std::min<std::int64_t>(rest, part);
}
static_assert(part_begin(10, 3, 1) == 4 && part_begin(10, 3, 3) == 10);

/// How many of `items` a thread takes at once, of which some take longer than others: at most
/// `most`, fewer where that would leave threads without any.
constexpr int chunk_of(std::int64_t items, int threads, int most = 256) {
    constexpr std::int64_t kTurns = 8;
    return static_cast<int>(std::clamp<std::int64_t>(items / (kTurns * threads), 1, most));
}
static_assert(chunk_of(10, 4) == 1 && chunk_of(3200, 4) == 100 && chunk_of(1 << 20, 4) == 256);

}  // namespace sptune
