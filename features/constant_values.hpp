// Whether all values of a matrix are the same, as those of a graph without weights are.
#pragma once

#include "matrix/csr.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

namespace sptune {

/// Are the values of [first, last) and the first value of all the same bits? They are when they
/// equal themselves shifted by one, which memcmp finds out at the speed of memory.
template <class T>
bool all_equal(const T* values, std::int64_t first, std::int64_t last) {
    const T* const from = values + std::max<std::int64_t>(0, first - 1);
    const auto bytes = static_cast<std::size_t>(values + last - 1 - from) * sizeof(T);
    return first == last || std::memcmp(from, from + 1, bytes) == 0;
}

/// Has A entries, all of the same bits? Those of most matrices differ soon, and then no other
/// thread is asked.
template <class T, class P>
bool has_one_value(CsrView<T, P> a, int threads) {
    constexpr std::int64_t kChunk = 1 << 14;
    const std::int64_t nnz = a.nnz(), first = std::min(nnz, kChunk);
    if (nnz == 0 || !all_equal(a.values, 0, first)) return false;
    std::atomic<bool> differ{false};
#pragma omp parallel for schedule(static) num_threads(threads) if (nnz > 8 * kChunk)
    for (std::int64_t k = first; k < nnz; k += kChunk)
        if (!differ.load(std::memory_order_relaxed) &&
            !all_equal(a.values, k, std::min(nnz, k + kChunk)))
            differ = true;
    return !differ;
}

/// The same as far as a few of them tell, at the cost of as many reads.
template <class T, class P>
bool seems_to_have_one_value(CsrView<T, P> a) {
    constexpr std::int64_t kFirst = 32, kSpread = 32;
    const std::int64_t nnz = a.nnz();
    if (nnz == 0 || !all_equal(a.values, 0, std::min(nnz, kFirst))) return false;
    for (std::int64_t i = 1; i <= kSpread; ++i)
        if (std::memcmp(a.values, a.values + (nnz - 1) * i / kSpread, sizeof(T)) != 0) return false;
    return true;
}

}  // namespace sptune
