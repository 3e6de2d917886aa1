// Splitting work over OpenMP threads.
#pragma once

#include <algorithm>
#include <cstdint>

#include <omp.h>

namespace sptune {

/// 0 means all threads that OpenMP offers.
inline int resolve_threads(int threads) {
    return threads > 0 ? threads : omp_get_max_threads();
}

/// First item of part `part` when `items` are cut into `parts` nearly equal ranges.
constexpr std::int64_t part_begin(std::int64_t items, int parts, int part) {
    const std::int64_t size = items / parts, rest = items % parts;
    return size * part + std::min<std::int64_t>(rest, part);
}
static_assert(part_begin(10, 3, 1) == 4 && part_begin(10, 3, 3) == 10);

}  // namespace sptune
