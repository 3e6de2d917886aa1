// The candidates of a sweep in the order that a reader wants them.
#pragma once

#include "db/entry.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sptune::cli {

struct Ranked {
    int rank = 0;  ///< from 1
    const db::Candidate* candidate = nullptr;
    bool baseline = false;
    bool finalist = false;  ///< measured in the same stage as the winner
};

/// Everything that was measured and is right: the winner, the other finalists, then those that left
/// the search before, each by median, ties by id. The pointers lead into `entry`.
std::vector<Ranked> ranking(const db::Entry& entry);

/// Those worth showing: the first `top`, the best of every format, the baseline and the best vendor
/// kernel. Keeps the order.
std::vector<Ranked> highlights(const std::vector<Ranked>& all, std::size_t top);

/// The fastest vendor candidate, or nullptr.
const db::Candidate* best_vendor(const std::vector<Ranked>& all);

/// Calls after which `candidate` with its conversion is ahead of the baseline; nullopt: never.
std::optional<double> break_even(const db::Candidate& candidate, const db::Candidate& baseline);

/// The candidate whose conversion plus `calls` calls take the least time.
struct Recommendation {
    const db::Candidate* candidate = nullptr;
    double total_us = 0;
};
/// The times of those that left the search early are corrected by drift(). `all` must not be empty.
Recommendation best_for(const std::vector<Ranked>& all, double calls);

/// How much faster than the winner the fastest of those looked that had lost to it; above 1 the
/// machine has become slower in the course of the sweep.
double drift(const std::vector<Ranked>& all);

/// "sell.simd.c8.s64" of "spmv.cpu.sell.simd.c8.s64.f64.i32": what differs within one report.
std::string short_id(const db::Entry& entry, std::string_view id);

/// Bandwidth measured for a working set of `bytes`, GB/s.
double bandwidth_at(const db::Device& device, std::uint64_t bytes);

/// The same in this sweep: caches that are flushed before each call have no bandwidth to offer.
double bandwidth_at(const db::Entry& entry, std::uint64_t bytes);

}  // namespace sptune::cli
