// What multiplying with hub columns takes. It is reckoned and not learned: no feature tells how
// many entries the columns with the most entries hold.
#pragma once

#include <cstdint>
#include <string_view>

namespace sptune::models {

/// What is known of hub.bands and a matrix.
struct HubWork {
    double hot, cold;    ///< entries of hub columns and of all others
    double sums;         ///< parts of rows in bands
    int bands, columns;  ///< of each band
    int value_bytes;
    int multiprocessors;
};

/// µs of one call. Fitted to 201 times on an H200, of 15 graphs and other scattered matrices
/// with 2.4 to 17.6 million entries, whose errors are 5 % in the median and 12 % for one in ten
/// (bench/results/2026-11-28-hub.md).
double hub_us(const HubWork& work);

/// µs of the conversion, about, in the same sweeps.
double hub_convert_us(const HubWork& work);

/// µs of the look at the columns: guessed from what whole choices took with it and without.
double hub_look_us(std::int64_t nnz, std::int64_t cols);

/// How often a choice by this was within 5 % of the fastest, of eleven on the H200 that it was
/// fitted on.
inline constexpr double kHubConfidence = 0.6;
/// What a selection names as its model then.
inline constexpr std::string_view kHubModel = "hub columns";

/// With fewer entries hub is legal on hardly any GPU: each multiprocessor would fetch more of x
/// than it has entries.
inline constexpr std::int64_t kLeastHubEntries = 1 << 20;

}  // namespace sptune::models
