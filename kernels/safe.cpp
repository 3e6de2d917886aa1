#include "kernels/safe.hpp"

#include "kernels/registry.hpp"

#include <algorithm>
#include <limits>
#include <numbers>

namespace sptune {
namespace {

/// Threads that a multiprocessor holds at a time. As long as all of a call are there from the
/// beginning, more of them wait less; beyond that each should have something to read.
constexpr std::int64_t kResident = 2048;
constexpr double kMostEntries = 4;           ///< of the mean row, for a thread
constexpr double kFewestEntries = 1.0 / 3;   ///< the same where threads are idle otherwise
constexpr std::int64_t kMostOfLongest = 16;  ///< of the longest row, for a thread
constexpr std::int64_t kFreeOfLongest = 3;   ///< the same where threads are idle otherwise
constexpr std::int64_t kTilesFrom = 24;      ///< the same, beyond which rows lie in tiles
constexpr int kFewest = 2, kMost = 32;

Variant csr(ValueType value, IndexType index, const char* algorithm, std::vector<Param> params) {
    Variant v = spmv_baseline(Backend::cuda, value, index);
    v.algorithm = algorithm;
    v.params = std::move(params);
    return v;
}

/// Smaller tiles leave no multiprocessor without one, but take longer on small matrices as well.
Variant tiles(ValueType value, IndexType index) {
    return csr(value, index, "tiles", {{"n", 1024}, {"x", 32}, {"b", 256}});
}

Variant threads_per_row(ValueType value, IndexType index, int threads) {
    return csr(value, index, "vector", {{"t", threads}, {"b", 256}});
}

/// By the mean row and, as long as there are idle threads, by the longest; twice as many where the
/// longest row asks for it; 0 where it asks for more. In 13,619 sweeps on H100s and H200s (500
/// entries and more, f32 and f64) this took 1.044 times as long as the best kernel that it might
/// have named, in geometric mean, a 300th of the conversion included, and 0.645 times as long as
/// plain CSR; on the 791 of real matrices among those of late 1.03 times, at most 1.28 times plain
/// CSR.
int threads_for(const Outline& o) {
    const double mean = static_cast<double>(o.nnz) / std::max(o.rows, index_t{1});
    const std::int64_t resident = kResident * o.multiprocessors();
    const auto entries_for = [&](int threads) { return mean / (threads * std::numbers::sqrt2); };
    int threads = kFewest;
    while (threads < kMost) {
        const bool idle = 2 * std::int64_t{threads} * o.rows <= resident;
        const bool helps =
            entries_for(threads) > kFewestEntries || o.longest_row > kFreeOfLongest * threads;
        if (entries_for(threads) <= kMostEntries && !(idle && helps)) break;
        threads *= 2;
    }
    if (threads < kMost && o.longest_row > kMostOfLongest * threads) threads *= 2;
    return o.longest_row > kTilesFrom * threads ? 0 : threads;
}

/// The last piece of a long row may reach so far beyond its end, which row pointers have to count.
constexpr std::int64_t kTilesReach = 1 << 14;

/// Rows of equal work for each thread, each row on as many lanes as a register has, or on one. In
/// 11,495 sweeps of an EPYC and of Xeons, 926 of them of real matrices, the choice below took 1.05
/// to 1.13 times as long as the best CSR that needs no conversion, in geometric mean by precision
/// and processor, the baseline 1.29 to 1.55 times; 1.03 to 1.09 and 2.0 to 3.3 times for rows of
/// more than 64 entries.
Variant balanced(ValueType value, IndexType index, int lanes) {
    Variant v = spmv_baseline(Backend::cpu, value, index);
    v.algorithm = "balanced";
    v.params = {{"x", 32}, {"l", lanes}, {"u", 1}};
    return v;
}

/// The calling thread alone.
Variant one_thread(ValueType value, IndexType index, int lanes) {
    Variant v = spmv_baseline(Backend::cpu, value, index);
    v.params = {{"x", 32}, {"l", lanes}, {"u", 1}, {"w", 1}};
    return v;
}

/// Rows and entries together: fewer are done sooner than other threads start, whatever their
/// number. In some 6000 sweeps of fewer than 40,000 entries on two EPYCs and on Xeons with 2 to 16
/// threads, one thread took 0.26 to 0.9 of the time of all between 500 and 4000, and 1.09 times it
/// between 4000 and 5700.
constexpr std::int64_t kOneThread = 4000;

/// Of a mean row: fewer entries do without lanes.
std::int64_t fewest_for_lanes(ValueType value) {
    return value == ValueType::f32 ? 8 : 2;
}

}  // namespace

Variant spmv_safe(Backend backend, ValueType value, IndexType index, const Outline& outline) {
    if (backend == Backend::cpu) {
        const bool scalar = outline.nnz < fewest_for_lanes(value) * std::int64_t{outline.rows};
        const bool small = outline.threads != 1 && outline.nnz + outline.rows < kOneThread;
        return (small ? one_thread : balanced)(value, index, scalar ? 1 : kAll);
    }
    if (const int threads = outline.longest_row < 0 ? 0 : threads_for(outline))
        return threads_per_row(value, index, threads);
    if (index == IndexType::i32 &&
        outline.nnz > std::numeric_limits<std::int32_t>::max() - kTilesReach)
        return threads_per_row(value, index, kMost);
    return tiles(value, index);
}

std::vector<Variant> all_safe(Backend backend, ValueType value, IndexType index) {
    if (backend == Backend::cpu)
        return {balanced(value, index, kAll), balanced(value, index, 1),
                one_thread(value, index, kAll), one_thread(value, index, 1)};
    std::vector<Variant> all{tiles(value, index)};
    for (int threads = kFewest; threads <= kMost; threads *= 2)
        all.push_back(threads_per_row(value, index, threads));
    return all;
}

}  // namespace sptune
